import { firstStep, outcomeOfSend, outcomeOfStatus } from './decide-outcome.js';
import type { Claim, Destination, SendResult } from './ports.js';

const policy = { maxAttempts: 3, backoff: { initialMs: 100, capMs: 1_000 }, random: () => 1 };
const base: Claim = {
  outboxId: 'o',
  instructionId: 'i',
  participantId: 'p',
  sequenceId: 1,
  idempotencyKey: 'k',
  railType: 'R',
  payload: {},
  attemptNo: 1,
  enqueuedAt: new Date(0),
  token: 't',
  outcomeUnknown: false,
};
const unclear: Claim = { ...base, outcomeUnknown: true };
const send: Destination['send'] = () => Promise.resolve({ kind: 'executed' });
const asking: Destination = {
  recognisesKeys: true,
  send,
  status: () => Promise.resolve({ kind: 'notExecuted' }),
};
const keyed: Destination = { recognisesKeys: true, send };
const blind: Destination = { recognisesKeys: false, send };

const problem = { code: 'C', message: 'm' };
const unknown: SendResult = { kind: 'unknown', ...problem };
const retryable: SendResult = { kind: 'retryable', ...problem };
const terminal: SendResult = { kind: 'terminal', ...problem };

describe('the first step', () => {
  it.each([
    { situation: 'a first attempt', claim: base, destination: blind, kind: 'send' },
    {
      situation: 'an unknown outcome that can be asked for',
      claim: unclear,
      destination: asking,
      kind: 'ask',
    },
    { situation: 'an unknown outcome behind a known key', claim: unclear, destination: keyed, kind: 'send' },
    {
      situation: 'an unknown outcome and no way to find out',
      claim: unclear,
      destination: blind,
      kind: 'settle',
    },
  ])('with $situation', ({ claim, destination, kind }) => {
    expect(firstStep(claim, destination).kind).toBe(kind);
  });
});

describe('the outcome of a status query', () => {
  it('is to send when the destination surely did not execute', () => {
    expect(outcomeOfStatus(base, { kind: 'notExecuted' }, policy)).toBeUndefined();
  });

  it('is executed when the destination did execute', () => {
    expect(outcomeOfStatus(base, { kind: 'executed', reference: 'R' }, policy)).toMatchObject({
      kind: 'executed',
    });
  });

  it('is to ask again later, and in doubt after the last attempt', () => {
    const result = { kind: 'unknown', ...problem } as const;
    expect(outcomeOfStatus(base, result, policy)).toMatchObject({ kind: 'retryLater', outcomeUnknown: true });
    expect(outcomeOfStatus({ ...base, attemptNo: 3 }, result, policy)).toMatchObject({ kind: 'inDoubt' });
  });
});

describe('the outcome of a send', () => {
  const decide = (
    result: SendResult,
    {
      attemptNo = 1,
      unresolved = false,
      destination = asking,
    }: { attemptNo?: number; unresolved?: boolean; destination?: Destination },
  ) => outcomeOfSend({ ...base, attemptNo }, result, { destination, unresolved, policy });

  it('is executed when the destination says so', () => {
    expect(decide({ kind: 'executed', reference: 'R' }, {})).toEqual({ kind: 'executed', reference: 'R' });
  });

  it('is a later try, with growing delays, while attempts are left', () => {
    expect(decide(retryable, {})).toEqual({
      kind: 'retryLater',
      delayMs: 100,
      outcomeUnknown: false,
      ...problem,
    });
    expect(decide(retryable, { attemptNo: 2 })).toMatchObject({ delayMs: 200 });
    expect(decide(retryable, { attemptNo: 3 })).toEqual({ kind: 'failed', ...problem });
  });

  it('waits as long as the destination asks, up to the cap', () => {
    expect(decide({ ...retryable, retryAfterMs: 700 }, {})).toMatchObject({ delayMs: 700 });
    expect(decide({ ...retryable, retryAfterMs: 70_000 }, {})).toMatchObject({ delayMs: 1_000 });
  });

  it('is failed when the destination will never execute it', () => {
    expect(decide(terminal, {})).toEqual({ kind: 'failed', ...problem });
  });

  it('is to find out later when nobody knows, and in doubt after the last attempt', () => {
    expect(decide(unknown, {})).toMatchObject({ kind: 'retryLater', outcomeUnknown: true });
    expect(decide(unknown, { destination: keyed })).toMatchObject({
      kind: 'retryLater',
      outcomeUnknown: true,
    });
    expect(decide(unknown, { attemptNo: 3 })).toEqual({ kind: 'inDoubt', ...problem });
  });

  it('is in doubt at once when nobody knows and nobody can find out', () => {
    expect(decide(unknown, { destination: blind })).toEqual({ kind: 'inDoubt', ...problem });
  });

  it('never calls failed what an earlier attempt may have executed', () => {
    expect(decide(terminal, { unresolved: true })).toMatchObject({ kind: 'inDoubt' });
    expect(decide(retryable, { unresolved: true, attemptNo: 3 })).toMatchObject({ kind: 'inDoubt' });
    expect(decide(retryable, { unresolved: true })).toMatchObject({
      kind: 'retryLater',
      outcomeUnknown: true,
    });
  });
});
