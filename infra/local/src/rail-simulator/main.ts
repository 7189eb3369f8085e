// A stand-in for the gateway to the payment rails: executes each idempotency key once, keeps the ledger that proves
// it, and fails in the ways it is told to.
import { runLedgerProcess } from '../ledger/ledger-process.js';
import { openRailGateway } from './rail-gateway.js';

void runLedgerProcess({
  name: 'rail-simulator',
  environment: process.env,
  open: (ledgerFile) => openRailGateway(ledgerFile, () => new Date()),
});
