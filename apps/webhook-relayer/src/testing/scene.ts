import { randomUUID } from 'node:crypto';
import { openHook } from './sink.js';
import type { Hook } from './sink.js';
import type { Relayer } from './relayer.js';
import { until } from './until.js';

export interface Subscribed {
  readonly id: string;
  readonly secret: string;
  /** An event type that this subscription alone asks for. */
  readonly type: string;
  readonly hook: Hook;
}

/** What most tests of the whole service begin with: endpoints of their own, events, and what became of them. */
export function createScene(relayer: () => Relayer, name: string) {
  const sinkUrl = process.env.SINK_URL ?? '';

  const subscribe = async (changes: object = {}, as: 'default' | 'acme' = 'default'): Promise<Subscribed> => {
    const hook = openHook(sinkUrl, name);
    const prefix = `t${randomUUID()}`;
    const wanted = { url: hook.url, eventTypes: [`${prefix}.*`], ...changes };
    const { status, body } = await relayer().call('POST /subscriptions', wanted, { as });
    if (status !== 201) throw new Error(`no subscription: ${JSON.stringify(body)}`);
    return { id: String(body['id']), secret: String(body['secret']), type: `${prefix}.happened`, hook };
  };

  const post = async (event: object, as: 'default' | 'acme' = 'default'): Promise<string> => {
    const { status, body } = await relayer().call(
      'POST /events',
      { source: 'shop', data: {}, ...event },
      { as },
    );
    if (status !== 202) throw new Error(`the event was not accepted: ${JSON.stringify(body)}`);
    return String(body['id']);
  };

  /** The event when none of its deliveries is under way any more. */
  const finished = (eventId: string, as: 'default' | 'acme' = 'default') =>
    until(`the end of ${eventId}`, async () => {
      const { status, body } = await relayer().call(`GET /events/${eventId}`, undefined, { as });
      return status === 200 && body['status'] !== 'pending' ? body : undefined;
    });

  const attempts = async (eventId: string): Promise<readonly Record<string, unknown>[]> => {
    const { body } = await relayer().call(`GET /events/${eventId}/attempts`);
    return body['attempts'] as Record<string, unknown>[];
  };

  const deliveriesOf = (event: Record<string, unknown>) =>
    event['deliveries'] as { id: string; subscriptionId: string; status: string; attempts: number }[];

  return { subscribe, post, finished, attempts, deliveriesOf };
}
