/**
 * Tells from the client's log and the ledgers of rail and sink whether a run kept its promises:
 *
 *     const verdict = checkRun({
 *       accepted: [{ paymentId: 'p1', participantId: 'acme', minorUnits: 1250, currency: 'EUR' }],
 *       rail: readRailLedger(await (await fetch(`${railUrl}/ledger?instructionPrefix=ins-`)).text()),
 *       sink: readSinkLedger(await (await fetch(`${sinkUrl}/ledger?path=/hooks/demo`)).text()),
 *     });
 *     if (!verdict.ok) throw new Error(describeVerdict(verdict));
 */
export type { AcceptedPayment } from './accepted-payment.js';
export { checkRun } from './check-run.js';
export type { Run, Verdict } from './check-run.js';
export { describeVerdict } from './describe-verdict.js';
export { readRailLedger, readSinkLedger } from './read-ledger.js';
