import type { Instruction } from '@sluice/outbox';
import type { OutgoingMessage } from './ports.js';
import { createEventDestination } from './relay-event.js';

const payload = {
  id: 'evt-p1-x',
  type: 'payment.accepted',
  source: 'sluice',
  time: '2025-06-01T16:00:00Z',
  data: {},
};

function instruction(content: unknown): Instruction {
  return {
    outboxId: 'o1',
    instructionId: 'evt-p1-x',
    participantId: 'event:p1',
    sequenceId: 1,
    idempotencyKey: 'evt-p1-x',
    railType: 'EVENT',
    payload: content,
    attemptNo: 1,
    enqueuedAt: new Date(0),
  };
}

describe('the destination of outbox events', () => {
  const signal = new AbortController().signal;

  it('sends the event under the key of its participant and answers with its id', async () => {
    const sent: OutgoingMessage[] = [];
    const sink = { send: async (messages: readonly OutgoingMessage[]) => void sent.push(...messages) };
    const destination = createEventDestination({ sink, topic: 't' });
    await expect(destination.send(instruction(payload), signal)).resolves.toEqual({
      kind: 'executed',
      reference: 'evt-p1-x',
    });
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ topic: 't', key: 'event:p1', headers: { ce_id: 'evt-p1-x' } });
    expect(JSON.parse(String(sent[0]?.value))).toEqual(payload);
  });

  it('does not know the outcome when Kafka does not acknowledge', async () => {
    const sink = { send: () => Promise.reject(new Error('away')) };
    const result = await createEventDestination({ sink, topic: 't' }).send(instruction(payload), signal);
    expect(result).toMatchObject({ kind: 'unknown', code: 'KAFKA_UNAVAILABLE' });
  });

  it.each([undefined, null, 'text', { ...payload, type: '' }])(
    'gives up an entry that is no event: %j',
    async (content) => {
      const sink = { send: () => Promise.reject(new Error('must not be called')) };
      const result = await createEventDestination({ sink, topic: 't' }).send(instruction(content), signal);
      expect(result).toMatchObject({ kind: 'terminal' });
    },
  );
});
