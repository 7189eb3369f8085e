import type { SendResult } from './delivery-ports.js';
import { decideOutcome, meaningOf, verdictOn } from './outcome.js';
import { retrySchedules } from './retry-schedule.js';

const rules = { schedule: retrySchedules.default, random: () => 0.5, now: new Date(0) };

function answered(status: number, retryAfter?: string): SendResult {
  return { kind: 'response', status, body: 'text', durationMs: 12, retryAfter };
}

function decide(result: SendResult, attemptNo = 1) {
  const { outcome, status, delayMs, attemptsBack } = decideOutcome(
    result,
    { attemptNo, maxAttempts: 5 },
    rules,
  );
  return { outcome, status, delayMs, attemptsBack };
}

describe('meaningOf', () => {
  it.each([
    ['delivered', [200, 201, 202, 204, 299]],
    ['gone', [410]],
    ['retry', [408, 425, 429, 500, 501, 502, 503, 504, 599]],
    ['failed', [300, 301, 302, 307, 308, 304, 400, 401, 403, 404, 405, 409, 411, 418, 422, 451, 499]],
  ])('is %s for %j', (meaning, statuses) => {
    expect(statuses.map(meaningOf)).toEqual(statuses.map(() => meaning));
  });
});

describe('decideOutcome', () => {
  const never = { delayMs: 0, attemptsBack: 0 };

  it('ends a delivery that was taken, refused, or whose endpoint is gone', () => {
    expect(decide(answered(204))).toEqual({ outcome: 'delivered', status: 'delivered', ...never });
    expect(decide(answered(404))).toEqual({ outcome: 'failed', status: 'failed', ...never });
    expect(decide(answered(410))).toEqual({ outcome: 'gone', status: 'failed', ...never });
  });

  it.each([
    ['500', answered(500)],
    ['a time-out', { kind: 'failure', code: 'TIMEOUT', detail: 'd', durationMs: 1 } as const],
    ['a refused address', { kind: 'failure', code: 'ADDRESS_REFUSED', detail: 'd', durationMs: 1 } as const],
  ])('tries again after %s, until the attempts are used up', (_what, result) => {
    expect(decide(result, 1)).toEqual({
      outcome: 'retry',
      status: 'pending',
      delayMs: 1_000,
      attemptsBack: 0,
    });
    expect(decide(result, 4)).toEqual({
      outcome: 'retry',
      status: 'pending',
      delayMs: 8_000,
      attemptsBack: 0,
    });
    expect(decide(result, 5)).toEqual({ outcome: 'exhausted', status: 'failed', ...never });
  });

  it('waits as long as the endpoint asks, within the bound', () => {
    expect(decide(answered(429, '60')).delayMs).toBe(60_000);
    expect(decide(answered(503, '999999')).delayMs).toBe(3_600_000);
  });

  it('gives the attempt back when our own shutdown interrupted it, even the last one', () => {
    const given = { outcome: 'interrupted', status: 'pending', delayMs: 0, attemptsBack: 1 };
    expect(decide({ kind: 'interrupted', durationMs: 5 }, 5)).toEqual(given);
  });

  it('records what happened, with an error only where there was one', () => {
    const record = (result: SendResult) =>
      decideOutcome(result, { attemptNo: 1, maxAttempts: 5 }, rules).record;
    expect(record(answered(200)).errorCode).toBeUndefined();
    expect(record(answered(502))).toMatchObject({
      statusCode: 502,
      errorCode: 'HTTP_502',
      responseBody: 'text',
    });
    expect(record({ kind: 'failure', code: 'DNS', detail: 'ENOTFOUND', durationMs: 3 })).toEqual({
      durationMs: 3,
      errorCode: 'DNS',
      errorDetail: 'ENOTFOUND',
    });
  });
});

describe('verdictOn', () => {
  it.each([
    ['success', [200, 204, 302, 400, 404, 422]],
    ['failure', [408, 425, 429, 500, 503]],
  ])('is a %s of the endpoint for %j', (verdict, statuses) => {
    expect(statuses.map((status) => verdictOn(answered(status)))).toEqual(statuses.map(() => verdict));
  });

  it('is a failure without an answer, and nothing when we gave up ourselves', () => {
    expect(verdictOn({ kind: 'failure', code: 'TIMEOUT', detail: '', durationMs: 1 })).toBe('failure');
    expect(verdictOn({ kind: 'interrupted', durationMs: 1 })).toBe('neutral');
  });
});
