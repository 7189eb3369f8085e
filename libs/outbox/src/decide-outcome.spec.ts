import { firstStep, outcomeOfSend, outcomeOfStatus } from './decide-outcome.js';
import type { Destination, SendResult } from './destination.js';
import type { Claim } from './ports.js';

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
  tryNo: 1,
  redriven: false,
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

const situationOf = (destination: Destination, unresolved = false) => ({ destination, unresolved, policy });

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
    {
      situation: 'an instruction that an operator sent again, where it can be asked for',
      claim: { ...base, attemptNo: 4, redriven: true },
      destination: asking,
      kind: 'ask',
    },
    {
      situation: 'an instruction that an operator sent again, where it cannot',
      claim: { ...base, attemptNo: 4, redriven: true },
      destination: blind,
      kind: 'send',
    },
  ])('is to $kind with $situation', ({ claim, destination, kind }) => {
    expect(firstStep(claim, situationOf(destination, claim.outcomeUnknown)).kind).toBe(kind);
  });

  it('is to give up on what ended its relay every time', () => {
    const poison = { ...unclear, tryNo: 4 };
    expect(firstStep(poison, situationOf(asking, true))).toMatchObject({ outcome: { kind: 'inDoubt' } });
    expect(firstStep({ ...poison, outcomeUnknown: false }, situationOf(asking))).toMatchObject({
      outcome: { kind: 'failed', code: 'TOO_MANY_LOST_LEASES' },
    });
  });
});

describe('the outcome of a status query', () => {
  const situation = situationOf(asking, true);

  it('is to send when the destination surely did not execute', () => {
    expect(outcomeOfStatus(base, { kind: 'notExecuted' }, situation)).toBeUndefined();
  });

  it('is executed when the destination did execute', () => {
    expect(outcomeOfStatus(base, { kind: 'executed', reference: 'R' }, situation)).toMatchObject({
      kind: 'executed',
    });
  });

  it('is to ask again later, and in doubt after the last attempt', () => {
    const result = { kind: 'unknown', ...problem } as const;
    expect(outcomeOfStatus(base, result, situation)).toMatchObject({
      kind: 'retryLater',
      outcomeUnknown: true,
    });
    expect(outcomeOfStatus({ ...base, tryNo: 3 }, result, situation)).toMatchObject({ kind: 'inDoubt' });
  });

  it('is a deferral, with the question still open, when nobody was asked', () => {
    const result = { kind: 'deferred', retryAfterMs: 300, ...problem } as const;
    expect(outcomeOfStatus({ ...base, tryNo: 3 }, result, situation)).toEqual({
      kind: 'deferred',
      delayMs: 300,
      outcomeUnknown: true,
      ...problem,
    });
  });
});

describe('the outcome of a send', () => {
  const decide = (
    result: SendResult,
    {
      tryNo = 1,
      unresolved = false,
      destination = asking,
    }: { tryNo?: number; unresolved?: boolean; destination?: Destination },
  ) => outcomeOfSend({ ...base, attemptNo: 10, tryNo }, result, situationOf(destination, unresolved));

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
    expect(decide(retryable, { tryNo: 2 })).toMatchObject({ delayMs: 200 });
    expect(decide(retryable, { tryNo: 3 })).toEqual({ kind: 'failed', holds: false, ...problem });
  });

  it('waits as long as the destination asks, up to the cap', () => {
    expect(decide({ ...retryable, retryAfterMs: 700 }, {})).toMatchObject({ delayMs: 700 });
    expect(decide({ ...retryable, retryAfterMs: 70_000 }, {})).toMatchObject({ delayMs: 1_000 });
  });

  it('is failed when the destination will never execute it', () => {
    expect(decide(terminal, {})).toEqual({ kind: 'failed', holds: false, ...problem });
  });

  it('holds the participant by the policy of the destination, or by what the answer says', () => {
    const strict = { ...asking, holds: { afterFailure: true, whileInDoubt: false } };
    expect(decide(terminal, { destination: strict })).toMatchObject({ kind: 'failed', holds: true });
    expect(decide({ ...terminal, holds: false }, { destination: strict })).toMatchObject({ holds: false });
    expect(decide({ ...terminal, holds: true }, {})).toMatchObject({ holds: true });
    expect(decide(unknown, { destination: strict, tryNo: 3 })).toMatchObject({
      kind: 'inDoubt',
      holds: false,
    });
  });

  it('is a deferral, also after the last attempt, when nothing was sent', () => {
    const deferred: SendResult = { kind: 'deferred', retryAfterMs: 70_000, ...problem };
    expect(decide(deferred, { tryNo: 3 })).toEqual({
      kind: 'deferred',
      delayMs: 1_000,
      outcomeUnknown: false,
      ...problem,
    });
    expect(decide(deferred, { unresolved: true })).toMatchObject({ outcomeUnknown: true });
  });

  it('is to find out later when nobody knows, and in doubt after the last attempt', () => {
    expect(decide(unknown, {})).toMatchObject({ kind: 'retryLater', outcomeUnknown: true });
    expect(decide(unknown, { destination: keyed })).toMatchObject({
      kind: 'retryLater',
      outcomeUnknown: true,
    });
    expect(decide(unknown, { tryNo: 3 })).toEqual({ kind: 'inDoubt', holds: true, ...problem });
  });

  it('is in doubt at once when nobody knows and nobody can find out', () => {
    expect(decide(unknown, { destination: blind })).toEqual({ kind: 'inDoubt', holds: true, ...problem });
  });

  it('never calls failed what an earlier attempt may have executed', () => {
    expect(decide(terminal, { unresolved: true })).toMatchObject({ kind: 'inDoubt' });
    expect(decide(retryable, { unresolved: true, tryNo: 3 })).toMatchObject({ kind: 'inDoubt' });
    expect(decide(retryable, { unresolved: true })).toMatchObject({
      kind: 'retryLater',
      outcomeUnknown: true,
    });
  });
});
