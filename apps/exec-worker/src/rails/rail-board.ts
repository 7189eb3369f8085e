import type { Destination } from '@sluice/outbox';
import { rails } from '@sluice/payments';
import type { Rail as RailName } from '@sluice/payments';
import type { CircuitModes, CircuitSetting } from '../ports.js';
import { Circuit } from './circuit.js';
import type { CircuitPolicy, CircuitView } from './circuit.js';
import type { Rail, RailCapabilities } from './rail.js';
import { railDestination } from './rail-destination.js';

export interface RailView {
  readonly rail: RailName;
  readonly capabilities: RailCapabilities;
  /** as this instance sees the rail */
  readonly circuit: CircuitView;
  /** what an operator said, for all instances; undefined if nobody has */
  readonly setting: CircuitSetting | undefined;
}

/** All rails with their circuits: what the relay sends through, and what operators look at. */
export interface RailBoard {
  readonly destinations: Readonly<Record<string, Destination>>;
  view(rail: RailName): RailView;
  /** takes up what operators said since; nothing is sent before the first time */
  refresh(): Promise<void>;
  setMode(setting: Omit<CircuitSetting, 'at'>): Promise<RailView>;
}

interface Parts {
  readonly railOf: (name: RailName) => Rail;
  readonly modes: Pick<CircuitModes, 'list' | 'set'>;
  readonly policy: CircuitPolicy;
  readonly monotonic: () => number;
  readonly onChange?: (rail: RailName, view: CircuitView) => void;
}

export function createRailBoard(parts: Parts): RailBoard {
  const { railOf, modes, policy, monotonic, onChange } = parts;
  const settings = new Map<RailName, CircuitSetting>();
  const lanes = new Map<RailName, { rail: Rail; circuit: Circuit; destination: Destination }>();
  for (const name of rails) {
    const circuit = new Circuit({
      policy,
      monotonic,
      // An operator may have stopped the rail before this process began.
      mode: 'OPEN',
      onChange: (view) => onChange?.(name, view),
    });
    const rail = railOf(name);
    lanes.set(name, { rail, circuit, destination: railDestination(rail, circuit) });
  }

  function laneOf(name: RailName) {
    const lane = lanes.get(name);
    if (!lane) throw new Error(`there is no rail ${name}`);
    return lane;
  }

  function apply(setting: CircuitSetting): void {
    const known = settings.get(setting.rail);
    // A list that was read before somebody changed his mind here.
    if (known && known.at > setting.at) return;
    settings.set(setting.rail, setting);
    laneOf(setting.rail).circuit.setMode(setting.mode);
  }

  function view(name: RailName): RailView {
    const { rail, circuit } = laneOf(name);
    return {
      rail: name,
      capabilities: rail.capabilities,
      circuit: circuit.view(),
      setting: settings.get(name),
    };
  }

  return {
    destinations: Object.fromEntries([...lanes].map(([name, { destination }]) => [name, destination])),
    view,
    async refresh() {
      const known = await modes.list();
      known.forEach(apply);
      for (const [name, { circuit }] of lanes) if (!settings.has(name)) circuit.setMode('AUTO');
    },
    async setMode(setting) {
      apply(await modes.set(setting));
      return view(setting.rail);
    },
  };
}
