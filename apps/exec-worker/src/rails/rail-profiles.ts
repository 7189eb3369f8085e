import type { Rail } from '@sluice/payments';
import type { RailCapabilities } from './rail.js';

/**
 * What each rail behind the gateway can do. Wires and real-time payments are final once they are executed; ACH and SEPA
 * orders are cleared in batches and may come back, so that the rail's later notice decides.
 */
export const railProfiles = {
  ACH: { recognisesKeys: true, answersStatus: true, finalOnExecution: false },
  WIRE: { recognisesKeys: true, answersStatus: true, finalOnExecution: true },
  RTP: { recognisesKeys: true, answersStatus: true, finalOnExecution: true },
  SEPA: { recognisesKeys: true, answersStatus: true, finalOnExecution: false },
} as const satisfies Record<Rail, RailCapabilities>;
