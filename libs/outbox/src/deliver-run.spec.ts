import { deliverRun } from './deliver-run.js';
import type { SendResult } from './destination.js';
import type { Claim, Outcome } from './ports.js';

const claims = [1, 2, 3].map((n): Claim => ({
  outboxId: `o${n}`,
  instructionId: `i${n}`,
  participantId: 'p',
  sequenceId: n,
  idempotencyKey: `k${n}`,
  railType: 'R',
  payload: {},
  attemptNo: 1,
  enqueuedAt: new Date(0),
  token: 't',
  outcomeUnknown: n === 3,
  tryNo: 1,
  redriven: false,
}));
const problem = { code: 'C', message: 'm' };

async function deliver(
  answers: SendResult[],
  change: { safeFor?: number; stopAfter?: number; sendMs?: number } = {},
) {
  const sent: string[] = [];
  const reported: [string, Outcome['kind']][] = [];
  const abandoned: string[] = [];
  const stopping = new AbortController();
  let now = 0;
  await deliverRun(claims, {
    destination: {
      recognisesKeys: true,
      send({ instructionId }) {
        sent.push(instructionId);
        now += change.sendMs ?? 1;
        if (sent.length === change.stopAfter) stopping.abort();
        return Promise.resolve(answers[sent.length - 1] ?? { kind: 'executed' });
      },
    },
    lease: { signal: new AbortController().signal, isSafe: () => sent.length < (change.safeFor ?? 9) },
    policy: { maxAttempts: 3, backoff: { initialMs: 1, capMs: 1 }, random: () => 0 },
    ...{ callTimeoutMs: 1_000, monotonic: () => now, budgetMs: 100, stopping: stopping.signal },
    report: ({ instructionId }, { kind }) => void reported.push([instructionId, kind]),
    abandon: ({ instructionId }) => void abandoned.push(instructionId),
  });
  return { sent, kinds: reported.map(([, kind]) => kind), abandoned };
}

it('sends one after the other while each lets the next go', async () => {
  const { sent, kinds } = await deliver([{ kind: 'executed' }, { kind: 'terminal', ...problem }]);
  expect(sent).toEqual(['i1', 'i2', 'i3']);
  expect(kinds).toEqual(['executed', 'failed', 'executed']);
});

it.each<[string, SendResult, Outcome['kind']]>([
  ['is retried', { kind: 'retryable', ...problem }, 'retryLater'],
  ['nobody knows of', { kind: 'unknown', ...problem }, 'retryLater'],
  ['the destination did not take', { kind: 'deferred', retryAfterMs: 5, ...problem }, 'deferred'],
  ['failed and holds', { kind: 'terminal', holds: true, ...problem }, 'failed'],
])('gives the rest back unsent behind one that %s', async (_case, answer, kind) => {
  const { sent, kinds } = await deliver([answer]);
  expect(sent).toEqual(['i1']);
  expect(kinds).toEqual([kind, 'deferred', 'deferred']);
});

it('gives the rest back when the relay stops or time is up', async () => {
  expect((await deliver([], { stopAfter: 1 })).kinds).toEqual(['executed', 'deferred', 'deferred']);
  expect((await deliver([], { sendMs: 80 })).kinds).toEqual(['executed', 'executed', 'deferred']);
});

it('leaves everything from there on to the reaper when its lease is no longer safe', async () => {
  const { sent, kinds, abandoned } = await deliver([], { safeFor: 1 });
  expect({ sent, kinds, abandoned }).toEqual({ sent: ['i1'], kinds: ['executed'], abandoned: ['i2', 'i3'] });
});
