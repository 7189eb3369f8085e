import type { Rail as RailName } from '@sluice/payments';
import type { Logger } from '@sluice/service-kit';
import type { Config } from '../config.js';
import { showCircuit } from '../metrics.js';
import type { Metrics } from '../metrics.js';
import type { CircuitModes } from '../ports.js';
import type { Rail, RailCapabilities } from './rail.js';
import { createRailBoard } from './rail-board.js';
import type { RailBoard } from './rail-board.js';
import { railProfiles } from './rail-profiles.js';

interface Parts {
  readonly gateway: { rail(name: RailName, capabilities: RailCapabilities): Rail };
  readonly modes: CircuitModes;
  readonly config: Config;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** All rails behind the gateway, each with its circuit. */
export function openRails({ gateway, modes, config, metrics, log }: Parts): RailBoard {
  return createRailBoard({
    railOf: (name) => gateway.rail(name, railProfiles[name]),
    modes,
    policy: {
      failures: config.SLUICE_CIRCUIT_FAILURES,
      openMs: config.SLUICE_CIRCUIT_OPEN_SECONDS,
      maxOpenMs: config.SLUICE_CIRCUIT_MAX_OPEN_SECONDS,
      probes: config.SLUICE_CIRCUIT_PROBES,
    },
    monotonic: () => performance.now(),
    onChange(rail, view) {
      showCircuit(metrics, rail, view.state);
      const line = { rail, ...view };
      const message = `the circuit of ${rail} is ${view.state.toLowerCase().replace('_', ' ')}`;
      if (view.state === 'CLOSED') log.info(line, message);
      else log.warn(line, message);
    },
  });
}
