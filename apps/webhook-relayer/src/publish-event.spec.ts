import type { Admission, Admitted, EventAdmissions } from './api-ports.js';
import { createPublish, withFields } from './publish-event.js';
import type { PublishRequest } from './publish-event.js';
import type { OutgoingMessage } from './ports.js';

/** What the table does, for one event at a time. */
function createAdmissions(stored: ReadonlyMap<string, Buffer> = new Map()): EventAdmissions {
  const known = new Map<string, Admission>();
  return {
    async admit(admission): Promise<Admitted> {
      const key = `${admission.tenantId}/${admission.eventId}`;
      const found = known.get(key);
      const body = stored.get(key);
      if (found !== undefined) return { kind: 'known', ...found, isStored: body !== undefined };
      if (body !== undefined) return { kind: 'stored', body };
      known.set(key, admission);
      return { kind: 'admitted' };
    },
  };
}

function createHarness(
  options: { send?: () => Promise<void>; stored?: ReadonlyMap<string, Buffer>; timeLimitMs?: number } = {},
) {
  const sent: OutgoingMessage[] = [];
  let seconds = 0;
  const publish = createPublish({
    sink: {
      async send(messages) {
        sent.push(...messages);
        await options.send?.();
      },
    },
    admissions: createAdmissions(options.stored),
    topic: 't',
    clock: { now: () => new Date(Date.UTC(2025, 5, 1, 16, 0, seconds++)) },
    newId: () => 'new',
    timeLimitMs: options.timeLimitMs ?? 60_000,
  });
  const post = (text: string, changes: Partial<PublishRequest> = {}) =>
    publish({ tenantId: 'default', bytes: Buffer.from(text), ...changes });
  return { publish, post, sent };
}

const rest = '"type":"payment.accepted","source":"shop","data":{"amount":1.10,"big":9007199254740993}}';
const whole = `{"id":"e1","time":"2025-06-01T12:00:00Z",${rest}`;
const given = { id: 'e1', time: '2025-06-01T12:00:00Z' };

describe('publish', () => {
  it('sends an event that is whole exactly as it came', async () => {
    const { post, sent } = createHarness();
    await expect(post(` ${whole}`, given)).resolves.toEqual({ kind: 'accepted', id: 'e1' });
    expect(sent[0]?.value?.toString()).toBe(` ${whole}`);
  });

  it('adds the id and the time that are missing, and leaves the other bytes alone', async () => {
    const { post, sent } = createHarness();
    await expect(post(`{${rest}`)).resolves.toEqual({ kind: 'accepted', id: 'evt_new' });
    expect(sent[0]?.value?.toString()).toBe(`{"id":"evt_new","time":"2025-06-01T16:00:00.000Z",${rest}`);
    expect(sent[0]?.headers).toMatchObject({ ce_id: 'evt_new', ce_time: '2025-06-01T16:00:00.000Z' });
  });

  it('names the tenant in the message', async () => {
    const { post, sent } = createHarness();
    await post(whole, { ...given, tenantId: 'acme' });
    expect(sent[0]?.headers).toMatchObject({ ce_tenantid: 'acme' });
  });

  it('refuses another event under the same id, and no event of another tenant', async () => {
    const { post, sent } = createHarness();
    await post(whole, given);
    const other = whole.replace('1.10', '1.1');
    await expect(post(other, given)).resolves.toEqual({ kind: 'conflict', id: 'e1' });
    await expect(post(other, { ...given, tenantId: 'acme' })).resolves.toMatchObject({ kind: 'accepted' });
    expect(sent).toHaveLength(2);
  });

  it('makes the same bytes of a repetition, also when it came without a time', async () => {
    const { post, sent } = createHarness();
    const text = `{"id":"e1",${rest}`;
    for (let count = 0; count < 3; count += 1)
      await expect(post(text, { id: 'e1' })).resolves.toEqual({ kind: 'accepted', id: 'e1' });
    expect(new Set(sent.map(({ value }) => value?.toString())).size).toBe(1);
  });

  it('does not send again what is stored, and tells it from another event', async () => {
    const { post, sent } = createHarness({ stored: new Map([['default/e1', Buffer.from(whole)]]) });
    await expect(post(whole, given)).resolves.toEqual({ kind: 'accepted', id: 'e1' });
    await expect(post(whole.replace('1.10', '1.1'), given)).resolves.toMatchObject({ kind: 'conflict' });
    expect(sent).toEqual([]);
  });

  it('holds no id back for an event that is none', async () => {
    const { post } = createHarness();
    await expect(post(`\uFEFF${whole}`, given)).resolves.toMatchObject({ kind: 'malformed' });
    await expect(post(whole, given)).resolves.toMatchObject({ kind: 'accepted' });
  });

  it('names the id when Kafka did not acknowledge; under it the same bytes become the same event', async () => {
    let isAway = true;
    const { post, sent } = createHarness({
      send: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve()),
    });
    await expect(post(`{${rest}`)).resolves.toEqual({ kind: 'unavailable', id: 'evt_new' });
    isAway = false;
    const idempotencyKey = 'evt_new';
    await expect(post(`{${rest}`, { idempotencyKey })).resolves.toEqual({ kind: 'accepted', id: 'evt_new' });
    expect(sent[1]?.value?.equals(sent[0]?.value ?? Buffer.alloc(0))).toBe(true);
  });

  it('does not wait for Kafka any longer than its limit', async () => {
    const { post } = createHarness({ send: () => new Promise(() => undefined), timeLimitMs: 5 });
    await expect(post(whole, given)).resolves.toEqual({ kind: 'unavailable', id: 'e1' });
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
