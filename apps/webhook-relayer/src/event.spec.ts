import { deadLetter, eventMessage, parseEvent, parseMessage } from './event.js';
import type { Headers, IncomingMessage } from './ports.js';

const valid = {
  id: 'evt-p1-payment.accepted',
  type: 'payment.accepted',
  source: 'sluice',
  time: '2025-06-01T16:00:00.000Z',
  data: { paymentId: 'p1' },
};

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

function reasonOf(value: Buffer | null, key: Buffer | null = null): string | undefined {
  const parsed = parseEvent(value, { key });
  return parsed.kind === 'malformed' ? parsed.reason : undefined;
}

describe('parseEvent', () => {
  it('keeps the very bytes, whatever their spelling', () => {
    const rest = JSON.stringify({ ...valid, data: undefined }).slice(1);
    const body = Buffer.from(` {"data":{"amount":1.10, "big":9007199254740993},${rest}`);
    const parsed = parseEvent(body);
    expect(parsed.kind === 'event' && parsed.event.body).toBe(body);
  });

  it('orders by the key, else by the subject, else by the id', () => {
    const keyOf = (event: object, key: Buffer | null = null) => {
      const parsed = parseEvent(bytes(event), { key });
      return parsed.kind === 'event' ? parsed.event.orderingKey : undefined;
    };
    expect(keyOf({ ...valid, subject: 's' }, Buffer.from('k'))).toBe('k');
    expect(keyOf({ ...valid, subject: 's' })).toBe('s');
    expect(keyOf(valid)).toBe(valid.id);
  });

  it('lets fields through that it does not know', () => {
    expect(parseEvent(bytes({ ...valid, traceparent: '00-1' })).kind).toBe('event');
  });

  it.each([
    ['no value', null, 'EMPTY'],
    ['an empty value', Buffer.alloc(0), 'EMPTY'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'NOT_UTF8'],
    ['text that is not JSON', Buffer.from('{'), 'NOT_JSON'],
    ['a byte order mark', Buffer.from(`\uFEFF${JSON.stringify(valid)}`), 'NOT_JSON'],
    ['a list', bytes([valid]), 'WRONG_SHAPE'],
    ['no id', bytes({ ...valid, id: undefined }), 'WRONG_SHAPE'],
    ['an id with a blank', bytes({ ...valid, id: 'a b' }), 'WRONG_SHAPE'],
    ['a type that is a pattern', bytes({ ...valid, type: 'payment.*' }), 'WRONG_SHAPE'],
    ['a source with NUL', bytes({ ...valid, source: 'a\0b' }), 'WRONG_SHAPE'],
    ['a time without an offset', bytes({ ...valid, time: '2025-06-01T16:00:00' }), 'WRONG_SHAPE'],
    [
      'a time that the database cannot hold',
      bytes({ ...valid, time: '0000-01-01T00:00:00Z' }),
      'WRONG_SHAPE',
    ],
    ['no data', bytes({ ...valid, data: undefined }), 'WRONG_SHAPE'],
  ])('refuses %s', (_what, value, reason) => {
    expect(reasonOf(value)).toBe(reason);
  });

  it('refuses a key with NUL', () => {
    expect(reasonOf(bytes(valid), Buffer.from('a\0b'))).toBe('WRONG_KEY');
  });
});

describe('the tenant of an event', () => {
  const tenantIn = (headers: Headers): string => {
    const parsed = parseMessage({ key: null, value: bytes(valid), headers });
    return parsed.kind === 'event' ? parsed.event.tenantId : parsed.reason;
  };

  it('is the default one, unless the message names another', () => {
    expect(tenantIn({})).toBe('default');
    expect(tenantIn({ ce_tenantid: Buffer.from('acme') })).toBe('acme');
  });

  it.each(['', 'a b', 'a\0', '*', 'a'.repeat(65)])(
    'makes a dead letter when it cannot be read: %j',
    (tenant) => {
      expect(tenantIn({ ce_tenantid: Buffer.from(tenant) })).toBe('WRONG_TENANT');
    },
  );

  it('is refused when it is named twice', () => {
    expect(tenantIn({ ce_tenantid: [Buffer.from('a'), Buffer.from('b')] })).toBe('WRONG_TENANT');
  });

  it('travels in the header, and only when it is not the default', () => {
    for (const tenantId of ['default', 'acme']) {
      const parsed = parseEvent(bytes(valid), { tenantId });
      if (parsed.kind === 'malformed') throw new Error(parsed.detail);
      const { headers } = eventMessage('t', parsed.event);
      expect(headers['ce_tenantid']).toBe(tenantId === 'default' ? undefined : tenantId);
      expect(tenantIn(headers)).toBe(tenantId);
    }
  });
});

describe('messages', () => {
  it('carry the attributes of CloudEvents in their headers', () => {
    const parsed = parseEvent(bytes(valid), { key: 'event:p1' });
    if (parsed.kind === 'malformed') throw new Error(parsed.detail);
    expect(eventMessage('t', parsed.event)).toEqual({
      topic: 't',
      key: 'event:p1',
      value: bytes(valid),
      headers: {
        ce_specversion: '1.0',
        ce_id: valid.id,
        ce_type: valid.type,
        ce_source: 'sluice',
        ce_time: valid.time,
        'content-type': 'application/json',
      },
    });
  });

  it('stay as they were in a dead letter, with the reason and the origin added', () => {
    const message: IncomingMessage = {
      topic: 't',
      partition: 2,
      offset: '41',
      key: Buffer.from('k'),
      value: Buffer.from([0xff]),
      headers: { trace: Buffer.from('1') },
    };
    expect(deadLetter('t.dlq', message, { reason: 'NOT_UTF8', detail: 'why' })).toEqual({
      topic: 't.dlq',
      key: message.key,
      value: message.value,
      headers: {
        trace: Buffer.from('1'),
        dlq_reason: 'NOT_UTF8',
        dlq_detail: 'why',
        dlq_source_topic: 't',
        dlq_source_partition: '2',
        dlq_source_offset: '41',
      },
    });
  });
});
