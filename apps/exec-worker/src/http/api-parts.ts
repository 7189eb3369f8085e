import type { OutboxOperations, OutboxViews } from '@sluice/outbox';
import type { Clock } from '@sluice/service-kit';
import type { CircuitModes, Executions, PaymentStatuses } from '../ports.js';
import type { RailBoard } from '../rails/rail-board.js';

/** What the API needs. */
export interface ApiParts {
  readonly outbox: Pick<OutboxViews, 'findInstruction' | 'findParticipant'> &
    Pick<OutboxOperations, 'listDeadLetters' | 'redrive'>;
  readonly executions: Executions;
  readonly statusesOf: PaymentStatuses;
  readonly board: Pick<RailBoard, 'view' | 'setMode'>;
  readonly modes: Pick<CircuitModes, 'changes'>;
  readonly clock: Clock;
}
