import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { ControlList } from '../ledger/control-list.js';
import { delay, describeIssues, readBody, RequestProblem, staySilent } from '../ledger/exchange.js';
import type { Exchange } from '../ledger/exchange.js';
import { openLedger } from '../ledger/ledger.js';
import type { Ledger } from '../ledger/ledger.js';
import type { Simulator } from '../ledger/ledger-listener.js';
import { behaviourSchema, covers, createBehaviours, hookPathSchema } from './behaviours.js';
import type { Behaviour } from './behaviours.js';

/** One line for each request that came in, on disk before it is answered. */
export const sinkLedgerLineSchema = z.object({
  at: z.iso.datetime(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  /** The answer that the sink was about to give; null when it was told to stay silent. */
  status: z.int().nullable(),
});

export type SinkLedgerLine = z.infer<typeof sinkLedgerLineSchema>;

interface Sink {
  readonly ledger: Ledger<SinkLedgerLine>;
  readonly behaviours: ControlList<Behaviour>;
  readonly now: () => Date;
}

export async function openSink(
  ledgerFile: string,
  now: () => Date,
): Promise<Simulator<SinkLedgerLine, Behaviour>> {
  const ledger = await openLedger({ file: ledgerFile, schema: sinkLedgerLineSchema });
  const behaviours = createBehaviours();
  return {
    ledger,
    control: { path: '/control/behaviours', schema: behaviourSchema, list: behaviours },
    select(query) {
      const path = hookPathSchema.safeParse(query.get('path') ?? '/hooks');
      if (!path.success) throw new RequestProblem(400, 'INVALID_PATH', describeIssues(path.error));
      return (line) => covers(path.data, line.path);
    },
    answer: (exchange) => receive({ ledger, behaviours, now }, exchange),
  };
}

async function receive(sink: Sink, exchange: Exchange): Promise<void> {
  const { request, response, url } = exchange;
  const path = url.pathname;
  if (request.method !== 'POST' || !covers('/hooks', path)) {
    throw new RequestProblem(
      404,
      'NOT_FOUND',
      `there is no ${request.method} ${path}; webhooks go to POST /hooks/…`,
    );
  }
  const at = sink.now().toISOString();
  const body = (await readBody(request)).toString('utf8');
  const behaviour = sink.behaviours.take((one) => covers(one.path, path), 'request');
  const status = behaviour?.status ?? 200;
  const recorded = behaviour?.silent === true ? null : status;
  await sink.ledger.append({ at, path, headers: flatten(request.headers), body, status: recorded });

  await delay(behaviour?.delayMs, exchange);
  if (recorded === null) return staySilent(exchange);
  if (behaviour?.retryAfterSeconds !== undefined)
    response.setHeader('retry-after', behaviour.retryAfterSeconds);
  response.writeHead(status, { 'content-type': 'text/plain' }).end(behaviour?.body);
}

function flatten(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
  );
}
