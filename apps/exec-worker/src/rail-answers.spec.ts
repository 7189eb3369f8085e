import { judgeFailure, judgeSend, judgeStatus, notSentCodes, verdicts } from './rail-answers.js';

const answer = (httpStatus: number, word: string) => ({ httpStatus, word });

describe('an answer to an instruction', () => {
  it.each(Object.entries(verdicts))('%s is %s', (said, verdict) => {
    const [httpStatus = '', word = ''] = said.split(' ');
    expect(judgeSend(answer(Number(httpStatus), word)).kind).toBe(verdict);
  });

  it.each([
    [200, ''],
    [200, 'ACCEPTED'],
    [202, 'EXECUTED'],
    [404, 'NOT_FOUND'],
    [422, 'SOMETHING_NEW'],
    [500, ''],
    [500, 'RAIL_UNAVAILABLE'],
    [502, ''],
    [503, ''],
    [504, 'TIMEOUT'],
  ])('%d %s is not understood, so its outcome is unknown', (httpStatus, word) => {
    expect(judgeSend(answer(httpStatus, word)).kind).toBe('unknown');
  });

  it('carries the reference of an execution and the wait that the rail asks for', () => {
    expect(judgeSend({ ...answer(200, 'EXECUTED'), reference: 'R-1' })).toMatchObject({ reference: 'R-1' });
    expect(judgeSend({ ...answer(429, 'RATE_LIMITED'), retryAfterMs: 7 })).toMatchObject({ retryAfterMs: 7 });
  });
});

describe('an answer to a status query', () => {
  it.each([
    [200, 'EXECUTED', 'executed'],
    [404, 'UNKNOWN', 'notExecuted'],
    [404, 'NOT_FOUND', 'unknown'],
    [404, '', 'unknown'],
    [200, 'UNKNOWN', 'unknown'],
    [503, 'RAIL_UNAVAILABLE', 'unknown'],
  ])('%d %s is %s', (httpStatus, word, kind) => {
    expect(judgeStatus(answer(httpStatus, word)).kind).toBe(kind);
  });
});

describe('a call without an answer', () => {
  it.each([...notSentCodes])('%s means that nothing was sent', (code) => {
    expect(judgeFailure(Object.assign(new Error('no'), { code }))).toMatchObject({ kind: 'retryable', code });
  });

  it.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT'])(
    '%s leaves the outcome open',
    (code) => {
      expect(judgeFailure(Object.assign(new Error('no'), { code }))).toMatchObject({ kind: 'unknown', code });
    },
  );

  it('has a code of its own for the time limit, for an abort and for everything else', () => {
    expect(judgeFailure(new DOMException('late', 'TimeoutError')).code).toBe('RAIL_TIMEOUT');
    expect(judgeFailure(new DOMException('stop', 'AbortError')).code).toBe('RAIL_CALL_ABORTED');
    expect(judgeFailure('what').code).toBe('RAIL_CALL_FAILED');
  });
});
