import { randomUUID } from 'node:crypto';
import type { ControlList } from '../ledger/control-list.js';
import {
  delay,
  describeIssues,
  parseJson,
  readBody,
  RequestProblem,
  sendJson,
  staySilent,
} from '../ledger/exchange.js';
import type { Exchange } from '../ledger/exchange.js';
import { openLedger } from '../ledger/ledger.js';
import type { Ledger } from '../ledger/ledger.js';
import { LedgerError } from '../ledger/ledger-error.js';
import type { Simulator } from '../ledger/ledger-listener.js';
import { createExecutor } from './execute-once.js';
import type { Execution, Order } from './execute-once.js';
import { hashBody, instructionSchema, railLedgerLineSchema } from './instruction.js';
import type { RailLedgerLine } from './instruction.js';
import { createRules, ruleMatches, ruleSchema } from './rules.js';
import type { Rule } from './rules.js';

interface Gateway {
  readonly ledger: Ledger<RailLedgerLine>;
  readonly executor: ReturnType<typeof createExecutor>;
  readonly rules: ControlList<Rule>;
}

export async function openRailGateway(
  ledgerFile: string,
  now: () => Date,
): Promise<Simulator<RailLedgerLine, Rule>> {
  const executor = createExecutor(now);
  const onLine = (line: RailLedgerLine) => executor.remember(line);
  const ledger = await openLedger({ file: ledgerFile, schema: railLedgerLineSchema, onLine });
  const rules = createRules();
  const gateway = { ledger, executor, rules };
  return {
    ledger,
    control: { path: '/control/rules', schema: ruleSchema, list: rules },
    select(query) {
      const prefix = query.get('instructionPrefix') ?? '';
      return (line) => line.instructionId.startsWith(prefix);
    },
    answer: (exchange) => answerRail(gateway, exchange),
  };
}

async function answerRail(gateway: Gateway, exchange: Exchange): Promise<void> {
  const path = /^\/rails\/([A-Za-z0-9_-]{1,32})\/instructions(?:\/([^/]+))?$/.exec(exchange.url.pathname);
  const [, rail, key] = path ?? [];
  const { method } = exchange.request;
  if (rail !== undefined && key === undefined && method === 'POST') return instruct(gateway, rail, exchange);
  if (rail !== undefined && key !== undefined && method === 'GET' && !isKeyless(rail)) {
    return tellStatus(gateway, { rail, key: decodeURIComponent(key) }, exchange);
  }
  throw new RequestProblem(404, 'NOT_FOUND', `there is no ${method} ${exchange.url.pathname}`);
}

/** A rail of this kind knows neither keys nor status queries: it executes whatever comes, as often as it comes. */
const isKeyless = (rail: string): boolean => rail.startsWith('KEYLESS');

async function tellStatus(
  { executor, rules }: Gateway,
  { rail, key }: { readonly rail: string; readonly key: string },
  { response }: Exchange,
): Promise<void> {
  // Here the key stands for the instruction: who sends one key an instruction uses its id.
  const isOut = rules.all().some((one) => one.failure === 'outage' && ruleMatches(one, key));
  if (isOut) throw unavailable('told to be out');
  const reference = await executor.find(rail, key);
  if (reference === undefined) return sendJson(response, 404, { status: 'UNKNOWN' });
  return sendJson(response, 200, { status: 'EXECUTED', reference });
}

async function instruct(gateway: Gateway, rail: string, exchange: Exchange): Promise<void> {
  const { response } = exchange;
  const order = await readOrder(rail, exchange);
  const { instructionId } = order.instruction;
  const rule = gateway.rules.take((one) => ruleMatches(one, instructionId), instructionId);
  await delay(rule?.delayMs, exchange);
  if (rule?.failure === 'before' || rule?.failure === 'outage') {
    throw unavailable('told to fail before executing');
  }
  if (rule?.failure === 'answer') return sendJson(response, rule.httpStatus ?? 500, { code: rule.code });
  if (rule?.failure === 'silent' && rule.executes !== true) return staySilent(exchange);
  if (rule?.failure === 'reject' && (await gateway.executor.find(rail, order.idempotencyKey)) === undefined) {
    throw new RequestProblem(422, rule.code ?? 'INVALID_INSTRUCTION', 'told to reject this instruction');
  }
  const execution = await execute(gateway, order);
  if (rule?.failure === 'after') return void response.destroy();
  if (rule?.failure === 'silent') return staySilent(exchange);
  if (execution.kind === 'conflict') {
    throw new RequestProblem(409, 'IDEMPOTENCY_CONFLICT', 'this key was executed with another body');
  }
  const { reference, replayed } = execution;
  return sendJson(response, 200, { status: 'EXECUTED', reference, replayed });
}

async function readOrder(rail: string, { request }: Exchange): Promise<Order> {
  const body = parseJson(await readBody(request));
  const idempotencyKey = isKeyless(rail) ? randomUUID() : request.headers['idempotency-key'];
  if (typeof idempotencyKey !== 'string' || idempotencyKey === '' || idempotencyKey.length > 255) {
    throw new RequestProblem(
      400,
      'IDEMPOTENCY_KEY_REQUIRED',
      'Idempotency-Key: 1 to 255 characters are needed',
    );
  }
  const parsed = instructionSchema.safeParse(body);
  if (!parsed.success) throw new RequestProblem(422, 'INVALID_INSTRUCTION', describeIssues(parsed.error));
  return { rail, idempotencyKey, bodyHash: hashBody(body), instruction: parsed.data };
}

async function execute({ executor, ledger }: Gateway, order: Order): Promise<Execution> {
  try {
    return await executor.execute(order, ledger);
  } catch (error) {
    if (error instanceof LedgerError && error.code === 'LEDGER_FULL') throw unavailable(error.message);
    throw error;
  }
}

function unavailable(detail: string): RequestProblem {
  return new RequestProblem(503, 'RAIL_UNAVAILABLE', detail);
}
