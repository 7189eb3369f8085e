import type { RailLedgerLine } from '../rail-simulator/instruction.js';
import type { SinkLedgerLine } from '../webhook-sink/sink.js';
import { distinctPayments } from './accepted-payment.js';
import type { AcceptedPayment } from './accepted-payment.js';
import { checkExecutions } from './check-executions.js';
import type { Executions } from './check-executions.js';
import { checkNotices } from './check-notices.js';
import type { Notices } from './check-notices.js';
import { checkOrder } from './check-order.js';
import type { Disorder } from './check-order.js';
import { sumByCurrency } from './check-sums.js';
import type { CurrencySum } from './check-sums.js';

export interface Run {
  /** From the client's log. */
  readonly accepted: Iterable<AcceptedPayment>;
  /** The rail's ledger, in its order. */
  readonly rail: readonly RailLedgerLine[];
  /** The sink's ledger; left out where a run has no webhooks. */
  readonly sink?: readonly SinkLedgerLine[];
}

export interface Verdict extends Executions {
  readonly ok: boolean;
  readonly accepted: number;
  readonly contradicted: readonly string[];
  readonly sums: readonly CurrencySum[];
  readonly disorder: readonly Disorder[];
  readonly notices?: Notices;
}

/** Judges a run by what came in and what left, never by the system's own tables: those would repeat its mistakes. */
export function checkRun(run: Run): Verdict {
  const { byId, contradicted } = distinctPayments(run.accepted);
  const executions = checkExecutions(byId, run.rail);
  const disorder = checkOrder(run.rail);
  const sums = sumByCurrency(byId.values(), run.rail);
  const notices = run.sink === undefined ? undefined : checkNotices(byId, run.sink);
  const violations = [
    contradicted,
    executions.lost,
    executions.doubled,
    executions.uninvited,
    executions.altered,
    sums.filter((sum) => sum.accepted !== sum.executed),
    disorder,
    notices?.notNotified ?? [],
  ];
  return {
    ok: violations.every((list) => list.length === 0),
    accepted: byId.size,
    contradicted,
    ...executions,
    sums,
    disorder,
    ...(notices && { notices }),
  };
}
