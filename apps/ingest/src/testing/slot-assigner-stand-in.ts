import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const Batch = z.strictObject({
  configName: z.string(),
  events: z.array(z.strictObject({ eventId: z.string(), requestedTime: z.iso.datetime() })),
});

/** ok: slots. failing: 503. silent: no answer at all. endless: an answer that begins and never ends. */
export type Behaviour = 'ok' | 'failing' | 'silent' | 'endless';

export interface SlotAssignerStandIn {
  readonly url: string;
  behaviour: Behaviour;
  /** Ids of the events of every request, in the order they came. */
  readonly asked: string[][];
  readonly authorizations: (string | undefined)[];
  close(): Promise<void>;
}

/**
 * slot-assigner's batch endpoint over real HTTP: the first slot of an event is its slot for ever, half a second after
 * the time wished for; events whose id begins with `full-` are refused. Apps do not import apps, and the real one
 * cannot be told to misbehave.
 */
export async function startSlotAssignerStandIn(): Promise<SlotAssignerStandIn> {
  const slots = new Map<string, string>();
  const server = createServer((request, response) => {
    if (standIn.behaviour === 'silent') return;
    void answer(request, response);
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { events } = Batch.parse(JSON.parse(Buffer.concat(parts).toString()));
    standIn.asked.push(events.map(({ eventId }) => eventId));
    standIn.authorizations.push(request.headers.authorization);
    response.writeHead(standIn.behaviour === 'failing' ? 503 : 200, { 'content-type': 'application/json' });
    if (standIn.behaviour === 'endless') return void response.write('{"slots":[');
    if (standIn.behaviour === 'failing') return void response.end('{"code":"DOWN"}');
    response.end(JSON.stringify({ slots: events.map(slotOf) }));
  }

  function slotOf({ eventId, requestedTime }: { eventId: string; requestedTime: string }) {
    if (eventId.startsWith('full-')) {
      return { eventId, problem: { code: 'HORIZON_EXCEEDED', detail: 'no window has room' } };
    }
    const wished = new Date(requestedTime).getTime();
    const scheduledTime = slots.get(eventId) ?? new Date(wished + 500).toISOString();
    slots.set(eventId, scheduledTime);
    return { eventId, scheduledTime, delayMs: new Date(scheduledTime).getTime() - wished };
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const standIn: SlotAssignerStandIn = {
    url: `http://127.0.0.1:${port}`,
    behaviour: 'ok',
    asked: [],
    authorizations: [],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return standIn;
}
