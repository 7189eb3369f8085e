import { Parser } from '@asyncapi/parser';
import { asyncApiDocument } from './async-api.js';
import { deadLetter, eventMessage, parseEvent } from './event.js';
import { deadLetterHeaders, eventHeaders, eventKey, eventPayload } from './topic-schemas.js';

const body = Buffer.from(
  '{"id":"e1","type":"payment.accepted","source":"shop","time":"2026-06-01T16:00:00Z","data":{}}',
);

describe('the AsyncAPI document', () => {
  it('is found valid by the parser of AsyncAPI, without a remark', async () => {
    const { document, diagnostics } = await new Parser().parse(JSON.stringify(asyncApiDocument('1.0.0')));
    expect(diagnostics.map(({ code, message }) => `${String(code)}: ${message}`)).toEqual([]);
    const addresses = document?.channels().map((channel) => channel.address());
    expect(addresses).toEqual(['events.pending', 'events.pending.dlq']);
    expect(document?.operations().all()).toHaveLength(4);
  });

  it('describes what is sent: events', () => {
    for (const tenantId of ['default', 'acme']) {
      const parsed = parseEvent(body, { tenantId });
      if (parsed.kind === 'malformed') throw new Error(parsed.detail);
      const { key, value, headers } = eventMessage('t', parsed.event);
      expect(eventHeaders.strict().parse(headers)).toEqual(headers);
      expect(eventKey.parse(key)).toBe('e1');
      expect(eventPayload.safeParse(JSON.parse(String(value))).success).toBe(true);
    }
  });

  it('describes what is sent: dead letters', () => {
    const message = {
      topic: 't',
      partition: 0,
      offset: '7',
      key: null,
      value: body,
      headers: { dlq_redrives: '1' },
    };
    const { headers } = deadLetter('t.dlq', message, { reason: 'NOT_JSON', detail: 'why' });
    expect(deadLetterHeaders.parse(headers)).toEqual(headers);
    expect(Object.keys(deadLetterHeaders.shape).sort()).toEqual(Object.keys(headers).sort());
  });
});
