import { createRelay } from '@sluice/outbox';
import type { InstructionState, InstructionView, OutboxStore, RelayOptions } from '@sluice/outbox';
import { systemClock as clock } from '@sluice/service-kit';
import { httpGateway } from '../adapters/http-rail.js';
import { pgCircuitModes } from '../adapters/pg-circuit-modes.js';
import { pgExecutions } from '../adapters/pg-executions.js';
import { instructionEntry } from '../outbox-entries.js';
import type { CircuitPolicy } from '../rails/circuit.js';
import type { Rail } from '../rails/rail.js';
import { createRailBoard } from '../rails/rail-board.js';
import type { RailBoard } from '../rails/rail-board.js';
import { railProfiles } from '../rails/rail-profiles.js';
import { recordOutcomes } from '../record-outcomes.js';
import { createBench } from './bench.js';
import type { Bench } from './bench.js';
import { contextFor, contextJsonFor } from './contexts.js';
import { eventually } from './eventually.js';
import { railSimulator } from './rail-simulator.js';
import type { RailSimulator } from './rail-simulator.js';

export interface RelaySettings extends Partial<
  Pick<RelayOptions, 'maxAttempts' | 'leaseSeconds' | 'concurrency' | 'concurrencyByRailType'>
> {
  /** another way to the rail than the true one */
  readonly railOf?: (rail: Rail) => Rail;
  readonly policy?: Partial<CircuitPolicy>;
}

export interface RailBench extends Bench {
  readonly testName: string;
  readonly rail: RailSimulator;
  /** records outcomes in outbox and payments at once, as main.ts has it */
  readonly store: OutboxStore;
  /** a relay as main.ts has it, in a hurry */
  startRelay(settings?: RelaySettings): Promise<RailBoard>;
  /** ends all relays, after what they have in flight */
  stopRelays(): Promise<void>;
  /** enqueues the order of a payment that only the outbox knows; answers with the instruction's id */
  order(name: string, change?: Record<string, unknown>): Promise<string>;
  /** schedules and accepts a payment, as Phase B does; answers with the instruction's id */
  pay(name: string, change?: Record<string, unknown>): Promise<string>;
  reaches(instructionId: string, state: InstructionState): Promise<InstructionView>;
}

const timeoutMs = 1_000;
const hurriedPolicy = { failures: 1_000_000, openMs: 100, maxOpenMs: 400, probes: 2 };

/** Outbox, payments and relay on the real tables, against the real rail simulator. */
export function createRailBench(environment: NodeJS.ProcessEnv): RailBench {
  const { PG_URL: pgUrl = '', RAIL_URL: railUrl = '', TEST_NAME: testName = 'alone' } = environment;
  const bench = createBench(pgUrl);
  const { pool, payments, outbox } = bench;
  const rail = railSimulator(railUrl, testName);
  const gateway = httpGateway({ url: railUrl, timeoutMs, connections: 16 });
  const executions = pgExecutions({ pool, payments, outbox });
  const store = recordOutcomes({ store: outbox, executions, clock });
  let stop = new AbortController();
  let running: Promise<void>[] = [];

  async function stopRelays(): Promise<void> {
    stop.abort();
    await Promise.all(running);
    stop = new AbortController();
    running = [];
  }

  const named = (name: string, change: Record<string, unknown>) =>
    [`${testName}-${name}`, { participantId: `${testName}-acme`, ...change }] as const;

  return {
    ...bench,
    testName,
    rail,
    store,
    stopRelays,
    async startRelay({ railOf = (one: Rail) => one, policy, ...options } = {}) {
      const board = createRailBoard({
        railOf: (name) => railOf(gateway.rail(name, railProfiles[name])),
        modes: pgCircuitModes(pool),
        policy: { ...hurriedPolicy, ...policy },
        monotonic: () => performance.now(),
      });
      await board.refresh();
      const relay = createRelay({
        name: 'rail-relay',
        store: recordOutcomes({ store: outbox, executions, clock }),
        destinations: board.destinations,
        concurrency: 8,
        pollIntervalMs: 20,
        callTimeoutMs: timeoutMs + 1_000,
        backoff: { initialMs: 5, capMs: 50 },
        ...options,
      });
      running.push(relay.run(stop.signal, () => undefined));
      return board;
    },
    async order(name, change = {}) {
      const entry = instructionEntry(contextFor(...named(name, change)));
      await outbox.enqueue(pool, [entry]);
      return entry.instructionId;
    },
    async pay(name, change = {}) {
      const [paymentId, changes] = named(name, change);
      await bench.scheduleAs(paymentId, changes);
      const input = { paymentId, contextJson: contextJsonFor(paymentId, changes), by: 'test' };
      await bench.steps.execute(input);
      return `ins-${paymentId}`;
    },
    async reaches(instructionId, state) {
      await eventually(`${instructionId} is ${state}`, async () => {
        return (await outbox.findInstruction(instructionId))?.state === state;
      });
      const found = await outbox.findInstruction(instructionId);
      if (!found) throw new Error(`${instructionId} has gone`);
      return found;
    },
    async close() {
      await stopRelays();
      await rail.tell();
      await gateway.close();
      await bench.close();
    },
  };
}

/** The states of an instruction's attempts, oldest first. */
export function statesOf({ attempts }: InstructionView): string[] {
  return attempts.map(({ state }) => state);
}
