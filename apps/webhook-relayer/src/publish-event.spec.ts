import { createPublish, withFields } from './publish-event.js';
import type { OutgoingMessage } from './ports.js';

function createHarness(send: () => Promise<void> = () => Promise.resolve()) {
  const sent: OutgoingMessage[] = [];
  const publish = createPublish({
    sink: {
      async send(messages) {
        await send();
        sent.push(...messages);
      },
    },
    topic: 't',
    clock: { now: () => new Date('2025-06-01T16:00:00Z') },
    newId: () => 'new',
  });
  return { publish, sent };
}

describe('publish', () => {
  const rest = '"type":"payment.accepted","source":"shop","data":{"amount":1.10,"big":9007199254740993}}';

  it('sends an event that is whole exactly as it came', async () => {
    const { publish, sent } = createHarness();
    const bytes = Buffer.from(` {"id":"e1","time":"2025-06-01T12:00:00Z",${rest}`);
    await expect(publish(bytes, { id: 'e1', time: '2025-06-01T12:00:00Z' })).resolves.toEqual({
      kind: 'accepted',
      id: 'e1',
    });
    expect(sent[0]?.value).toBe(bytes);
  });

  it('adds the id and the time that are missing, and leaves the other bytes alone', async () => {
    const { publish, sent } = createHarness();
    await expect(publish(Buffer.from(`{${rest}`), {})).resolves.toEqual({ kind: 'accepted', id: 'evt_new' });
    expect(sent[0]?.value?.toString()).toBe(`{"id":"evt_new","time":"2025-06-01T16:00:00.000Z",${rest}`);
    expect(sent[0]?.headers).toMatchObject({ ce_id: 'evt_new', ce_time: '2025-06-01T16:00:00.000Z' });
  });

  it('names the id to send again when Kafka did not acknowledge', async () => {
    const { publish } = createHarness(() => Promise.reject(new Error('away')));
    await expect(publish(Buffer.from(`{${rest}`), {})).resolves.toEqual({
      kind: 'unavailable',
      id: 'evt_new',
    });
  });

  it('refuses bytes that are not UTF-8, whatever the parser before made of them', async () => {
    const { publish, sent } = createHarness();
    const bytes = Buffer.from(`{"id":"e1","time":"2025-06-01T12:00:00Z",${rest}`, 'utf16le');
    expect((await publish(bytes, { id: 'e1', time: 'x' })).kind).toBe('malformed');
    expect(sent).toEqual([]);
  });
});

describe('withFields', () => {
  it.each([
    ['{}', '{"a":"1"}'],
    ['{ }', '{"a":"1" }'],
    ['{"b":2}', '{"a":"1","b":2}'],
    ['\n {\n"b": "{"}', '{"a":"1",\n"b": "{"}'],
  ])('makes of %j %j', (object, expected) => {
    expect(withFields(Buffer.from(object), { a: '1' }).toString()).toBe(expected);
  });
});
