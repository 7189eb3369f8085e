// A stand-in for the customers' webhook endpoints: records every request in a ledger, and answers as it is told to.
import { runLedgerProcess } from '../ledger/ledger-process.js';
import { openSink } from './sink.js';

void runLedgerProcess({
  name: 'webhook-sink',
  environment: process.env,
  open: (ledgerFile) => openSink(ledgerFile, () => new Date()),
});
