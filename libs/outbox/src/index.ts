/**
 * A transactional outbox: instructions are stored with the data they belong to and leave afterwards, in order for each
 * participant, through a relay.
 *
 *   const outbox = createPgOutbox(pool);
 *   await inTransaction(pool, async (client) => {
 *     await client.query('UPDATE …');
 *     await outbox.enqueue(client, [{ instructionId, participantId, idempotencyKey, railType: 'ACH', payload }]);
 *   });
 *   outbox.announce();
 *
 *   const relay = createRelay({ name: 'rails', store: outbox, destinations: { ACH: ach } });
 *   const listener = createPgOutboxListener({ url, applicationName: 'relay', onWake: () => relay.wake() });
 *   await Promise.all([relay.run(signal, beat), listener.run(signal, beat)]);
 */
import { join } from 'node:path';

export const outboxMigrations = { component: 'outbox', pg: join(__dirname, 'migrations', 'pg') };

export { createPgOutbox } from './adapters/pg-outbox.js';
export type { PgOutbox } from './adapters/pg-outbox.js';
export { createPgOutboxListener } from './adapters/pg-listener.js';
export type { OutboxListener, OutboxListenerOptions } from './adapters/pg-listener.js';
export type { Destination, HoldPolicy, SendResult, StatusResult } from './destination.js';
export { OutboxConflictError } from './errors.js';
export type {
  Authority,
  DeadLetter,
  DeadLetterFilter,
  DeadLetterPage,
  DeadLetterState,
  OperationOutcome,
  OutboxMaintenance,
  OutboxOperations,
  PartitionReport,
  RedriveRequest,
  RedriveResult,
  Resolution,
} from './operations.js';
export { rebuildState } from './rebuild-state.js';
export { createRelay } from './relay.js';
export type { Relay } from './relay.js';
export type { RelayObserver, RelayOptions } from './relay-options.js';
export type {
  Claim,
  ClaimLimits,
  ClaimRequest,
  EnqueueOutcome,
  Instruction,
  KeyConflict,
  Lease,
  Outcome,
  OutboxEntry,
  OutboxProducer,
  OutboxStore,
  Queryable,
  Settled,
  Settlement,
} from './ports.js';
export type {
  AttemptState,
  AttemptView,
  InstructionState,
  InstructionView,
  OutboxDepth,
  OutboxViews,
  ParticipantState,
  ParticipantView,
} from './views.js';
