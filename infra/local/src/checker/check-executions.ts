import type { RailLedgerLine } from '../rail-simulator/instruction.js';
import type { AcceptedPayment } from './accepted-payment.js';

export interface Alteration {
  readonly paymentId: string;
  readonly field: 'minorUnits' | 'currency' | 'participantId';
  readonly accepted: string | number;
  readonly executed: string | number;
}

export interface Executions {
  readonly executed: number;
  readonly lost: readonly string[];
  readonly doubled: readonly { readonly paymentId: string; readonly references: readonly string[] }[];
  readonly uninvited: readonly { readonly paymentId: string; readonly reference: string }[];
  readonly altered: readonly Alteration[];
}

/** Compares what was accepted with what the rail executed, payment by payment. */
export function checkExecutions(
  accepted: ReadonlyMap<string, AcceptedPayment>,
  lines: readonly RailLedgerLine[],
): Executions {
  const executions = Map.groupBy(lines, (line) => line.paymentId);
  const lost = [...accepted.keys()].filter((paymentId) => !executions.has(paymentId));
  return {
    executed: accepted.size - lost.length,
    lost,
    doubled: [...executions]
      .filter(([, own]) => own.length > 1)
      .map(([paymentId, own]) => ({ paymentId, references: own.map((line) => line.reference) })),
    uninvited: lines
      .filter((line) => !accepted.has(line.paymentId))
      .map(({ paymentId, reference }) => ({ paymentId, reference })),
    altered: lines.flatMap((line) => alterations(accepted.get(line.paymentId), line)),
  };
}

function alterations(payment: AcceptedPayment | undefined, line: RailLedgerLine): Alteration[] {
  if (payment === undefined) return [];
  const { paymentId } = payment;
  return (['minorUnits', 'currency', 'participantId'] as const)
    .filter((field) => payment[field] !== line[field])
    .map((field) => ({ paymentId, field, accepted: payment[field], executed: line[field] }));
}
