import type { RequestListener } from 'node:http';
import { z } from 'zod';
import type { ControlList } from './control-list.js';
import { describeIssues, parseJson, readBody, RequestProblem, sendJson, sendLines } from './exchange.js';
import type { Exchange } from './exchange.js';
import type { Ledger } from './ledger.js';

/** What a simulator adds to the endpoints that all simulators have. */
export interface Simulator<Line, Entry> {
  readonly ledger: Ledger<Line>;
  readonly control: {
    readonly path: string;
    readonly schema: z.ZodType<Entry>;
    readonly list: ControlList<Entry>;
  };
  /** Which lines `GET /ledger` answers. */
  select(query: URLSearchParams): (line: Line) => boolean;
  answer(exchange: Exchange): Promise<void>;
}

/** `GET /healthz`, `GET /ledger` and GET, PUT, DELETE of the control list; everything else is the simulator's own. */
export function createLedgerListener<Line, Entry>(
  simulator: Simulator<Line, Entry>,
  stopping: AbortSignal,
): RequestListener {
  async function answer(exchange: Exchange): Promise<void> {
    const { request, response, url } = exchange;
    if (url.pathname === simulator.control.path) return answerControl(simulator.control, exchange);
    if (request.method === 'GET' && url.pathname === '/healthz')
      return answerHealth(simulator.ledger, exchange);
    if (request.method === 'GET' && url.pathname === '/ledger') {
      const selects = simulator.select(url.searchParams);
      return sendLines(response, filtered(simulator.ledger.read(), selects));
    }
    return simulator.answer(exchange);
  }

  return (request, response) => {
    const url = URL.parse(request.url ?? '', 'http://localhost');
    if (url === null)
      return sendJson(response, 400, { code: 'INVALID_URL', detail: 'the address cannot be read' });
    const exchange = { request, response, url, stopping };
    answer(exchange).catch((error: unknown) => answerError(exchange, error));
  };
}

async function* filtered<Line>(lines: AsyncIterable<Line>, selects: (line: Line) => boolean) {
  for await (const line of lines) if (selects(line)) yield line;
}

function answerHealth(ledger: Ledger<unknown>, { response }: Exchange): void {
  const failure = ledger.failure();
  if (failure === undefined)
    return sendJson(response, 200, { status: 'ok', ledgerLines: ledger.lineCount() });
  return sendJson(response, 503, { status: 'failed', code: failure.code, detail: failure.message });
}

async function answerControl<Entry>(
  control: Simulator<never, Entry>['control'],
  { request, response, url }: Exchange,
): Promise<void> {
  const scope = url.searchParams.get('scope') ?? undefined;
  if (request.method === 'PUT') {
    const parsed = z
      .array(control.schema)
      .max(1000)
      .safeParse(parseJson(await readBody(request)));
    if (!parsed.success) throw new RequestProblem(400, 'INVALID_CONTROL', describeIssues(parsed.error));
    control.list.replace(scope ?? '', parsed.data);
  } else if (request.method === 'DELETE') {
    control.list.clear(scope);
  } else if (request.method !== 'GET') {
    throw new RequestProblem(405, 'METHOD_NOT_ALLOWED', `${url.pathname} takes GET, PUT and DELETE`);
  }
  sendJson(response, 200, control.list.all(scope));
}

function answerError({ request, response, stopping }: Exchange, error: unknown): void {
  if (stopping.aborted || response.headersSent || (request.destroyed && !request.complete)) {
    response.destroy();
  } else if (error instanceof RequestProblem) {
    sendJson(response, error.status, { code: error.code, detail: error.message });
  } else if (error instanceof URIError) {
    sendJson(response, 400, { code: 'INVALID_URL', detail: 'the address has a malformed % sequence' });
  } else {
    sendJson(response, 500, {
      code: 'INTERNAL',
      detail: error instanceof Error ? error.message : String(error),
    });
  }
}
