import { Agent, request } from 'undici';
import { z } from 'zod';
import type { Closable } from '@sluice/service-kit';
import type { TimelineSource, TimelineStep } from '../ports.js';

export interface Peer {
  /** Undefined: not configured. */
  readonly url: string | undefined;
  readonly key: string | undefined;
}

interface Options {
  readonly dispatcher: Peer;
  readonly execWorker: Peer;
  readonly webhookRelayer: Peer;
  /** For one question, connecting and reading included. */
  readonly timeoutMs: number;
}

const mostAnswerBytes = 4_000_000;

// Only what is shown is looked at: the services are deployed each for itself, and a newer one may tell more.
const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const word = z.string().nullish();

const Item = z.looseObject({
  execWorkflowId: word,
  auditTrail: z.array(
    z.looseObject({
      action: z.string(),
      detail: word,
      batchId: word,
      actor: word,
      statusAfter: word,
      createdAt: instant,
    }),
  ),
});

const Instruction = z.looseObject({
  instructionId: z.string(),
  railType: word,
  state: z.string(),
  enqueuedAt: instant,
  attempts: z.array(
    z.looseObject({
      attemptNo: z.number().nullish(),
      state: z.string(),
      at: instant,
      reference: word,
      errorCode: word,
      errorMessage: word,
    }),
  ),
});

const Event = z.looseObject({
  id: z.string(),
  type: z.string(),
  receivedAt: instant,
  deliveries: z.array(
    z.looseObject({
      id: z.string(),
      subscriptionId: word,
      status: z.string(),
      finishedAt: instant.nullish(),
      lastError: word,
    }),
  ),
});

const Attempts = z.looseObject({
  attempts: z.array(
    z.looseObject({
      deliveryId: z.string(),
      attemptNo: z.number().nullish(),
      outcome: z.string(),
      statusCode: z.number().nullish(),
      errorCode: word,
      recordedAt: instant,
    }),
  ),
});

/** The services that own the other parts of a timeline, over HTTP. */
export function httpTimeline(options: Options): { sources: readonly TimelineSource[] } & Closable {
  const agent = new Agent({ connections: 8, keepAliveTimeout: 10_000 });

  /** Undefined for a 404: the service does not know of it. */
  async function get<T>({ url, key }: Peer, path: string, schema: z.ZodType<T>): Promise<T | undefined> {
    const { statusCode, body } = await request(`${url}${path}`, {
      dispatcher: agent,
      signal: AbortSignal.timeout(options.timeoutMs),
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    });
    const text = await readText(body);
    if (statusCode === 404) return undefined;
    if (statusCode !== 200) throw new Error(`it answered with status ${statusCode}`);
    return schema.parse(JSON.parse(text));
  }

  const { dispatcher, execWorker, webhookRelayer } = options;
  return {
    name: 'timeline',
    close: () => agent.close(),
    sources: [
      {
        part: 'dispatch',
        service: 'dispatcher',
        configured: dispatcher.url !== undefined,
        async read({ paymentId }) {
          const path = `/api/v1/dispatch/items/PAYMENT/${paymentId}`;
          const item = await get(dispatcher, path, Item);
          return item && dispatchSteps(item, `${dispatcher.url}${path}`);
        },
      },
      {
        part: 'rail',
        service: 'exec-worker',
        configured: execWorker.url !== undefined,
        async read({ paymentId }) {
          const path = `/api/v1/instructions/ins-${paymentId}`;
          const instruction = await get(execWorker, path, Instruction);
          return instruction && railSteps(instruction, `${execWorker.url}${path}`);
        },
      },
      {
        part: 'notices',
        service: 'webhook-relayer',
        configured: webhookRelayer.url !== undefined,
        async read({ paymentId, statuses }) {
          // SCHEDULED is where every payment begins; nobody is told of it.
          const told = [...new Set(statuses)].filter((status) => status !== 'SCHEDULED');
          const events = await Promise.all(
            told.map(async (status) => {
              const path = `/events/evt-${paymentId}-payment.${status.toLowerCase()}`;
              const event = await get(webhookRelayer, path, Event);
              if (event === undefined) return undefined;
              const tried = await get(webhookRelayer, `${path}/attempts`, Attempts);
              return noticeSteps(event, tried?.attempts ?? [], `${webhookRelayer.url}${path}`);
            }),
          );
          const found = events.filter((steps) => steps !== undefined);
          return found.length === 0 ? undefined : found.flat();
        },
      },
    ],
  };
}

function dispatchSteps({ auditTrail, execWorkflowId }: z.infer<typeof Item>, link: string): TimelineStep[] {
  return auditTrail.map(({ action, detail, batchId, actor, createdAt }) => ({
    at: createdAt,
    step: action,
    detail: detail ?? undefined,
    ids: ids({ batchId, actor, execWorkflowId: action === 'DISPATCHED' ? execWorkflowId : undefined }),
    link,
  }));
}

function railSteps(
  { instructionId, railType, enqueuedAt, attempts }: z.infer<typeof Instruction>,
  link: string,
): TimelineStep[] {
  return [
    { at: enqueuedAt, step: 'INSTRUCTED', detail: railType ?? undefined, ids: { instructionId }, link },
    ...attempts.map(({ attemptNo, state, at, reference, errorCode, errorMessage }) => ({
      at,
      step: state,
      detail: sentence([numbered('attempt', attemptNo), errorCode, errorMessage]),
      ids: ids({ instructionId, reference }),
      link,
    })),
  ];
}

function noticeSteps(
  { id, type, receivedAt, deliveries }: z.infer<typeof Event>,
  attempts: z.infer<typeof Attempts>['attempts'],
  link: string,
): TimelineStep[] {
  return [
    { at: receivedAt, step: 'EVENT_TAKEN', detail: type, ids: { eventId: id }, link },
    ...attempts.map(({ deliveryId, attemptNo, outcome, statusCode, errorCode, recordedAt }) => ({
      at: recordedAt,
      step: `DELIVERY_${outcome.toUpperCase()}`,
      detail: sentence([type, numbered('attempt', attemptNo), numbered('status', statusCode), errorCode]),
      ids: ids({
        eventId: id,
        deliveryId,
        subscriptionId: deliveries.find((delivery) => delivery.id === deliveryId)?.subscriptionId,
      }),
      link: `${link}/attempts`,
    })),
  ];
}

function ids(given: Record<string, string | null | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function numbered(word: string, value: number | null | undefined): string | undefined {
  return typeof value === 'number' ? `${word} ${value}` : undefined;
}

function sentence(words: readonly (string | null | undefined)[]): string | undefined {
  const said = words.filter((one) => one !== null && one !== undefined && one !== '');
  return said.length === 0 ? undefined : said.join(', ');
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > mostAnswerBytes) throw new Error(`its answer is longer than ${mostAnswerBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
