import { Circuit } from './circuit.js';
import type { CircuitView } from './circuit.js';

const policy = { failures: 3, openMs: 1_000, maxOpenMs: 4_000, probes: 2 };

function bench() {
  const changes: CircuitView[] = [];
  const clock = { now: 0 };
  const circuit = new Circuit({
    policy,
    monotonic: () => clock.now,
    onChange: (view) => changes.push(view),
  });
  const fail = (times = 1) => {
    for (let n = 0; n < times; n += 1) circuit.enter()?.failed();
  };
  return { circuit, clock, changes, fail };
}

describe('a circuit', () => {
  it('lets everything through while the rail answers', () => {
    const { circuit } = bench();
    for (let n = 0; n < 10; n += 1) circuit.enter()?.succeeded();
    expect(circuit.room()).toBe(Infinity);
    expect(circuit.view()).toMatchObject({ state: 'CLOSED', mode: 'AUTO', waitMs: 0 });
  });

  it('opens after failures in a row, and a success between them starts the count anew', () => {
    const { circuit, fail } = bench();
    fail(2);
    circuit.enter()?.succeeded();
    fail(2);
    expect(circuit.view().state).toBe('CLOSED');
    fail();
    expect(circuit.view()).toMatchObject({ state: 'OPEN', waitMs: 1_000 });
    expect(circuit.enter()).toBeUndefined();
    expect(circuit.room()).toBe(0);
  });

  it('lets a few probes through when its time is over, and closes when they succeed', () => {
    const { circuit, clock, fail, changes } = bench();
    fail(3);
    clock.now = 1_000;
    expect(circuit.room()).toBe(2);
    const [first, second] = [circuit.enter(), circuit.enter()];
    expect(circuit.enter()).toBeUndefined();
    first?.succeeded();
    expect(circuit.view().state).toBe('HALF_OPEN');
    second?.succeeded();
    expect(circuit.room()).toBe(Infinity);
    expect(changes.map(({ state }) => state)).toEqual(['OPEN', 'HALF_OPEN', 'CLOSED']);
  });

  it('opens again when a probe fails, for twice as long, up to its limit', () => {
    const { circuit, clock, fail } = bench();
    fail(3);
    for (const waitMs of [2_000, 4_000, 4_000]) {
      clock.now += circuit.view().waitMs;
      fail();
      expect(circuit.view()).toMatchObject({ state: 'OPEN', waitMs });
    }
    clock.now += 4_000;
    circuit.enter()?.succeeded();
    circuit.enter()?.succeeded();
    fail(3);
    expect(circuit.view().waitMs).toBe(1_000);
  });

  it('does not believe an answer to a call from before it opened', () => {
    const { circuit, clock, fail } = bench();
    const [slow, slower] = [circuit.enter(), circuit.enter()];
    fail(3);
    slow?.succeeded();
    expect(circuit.view().state).toBe('OPEN');
    clock.now = 1_000;
    const probe = circuit.enter();
    slower?.failed();
    expect(circuit.view().state).toBe('HALF_OPEN');
    probe?.succeeded();
    circuit.enter()?.succeeded();
    expect(circuit.view().state).toBe('CLOSED');
  });

  it('obeys an operator: open keeps everything back, closed lets everything through', () => {
    const { circuit, fail, changes } = bench();
    circuit.setMode('OPEN');
    expect(circuit.enter()).toBeUndefined();
    expect(circuit.view()).toMatchObject({ state: 'OPEN', mode: 'OPEN' });
    circuit.setMode('CLOSED');
    fail(10);
    expect(circuit.room()).toBe(Infinity);
    expect(circuit.view()).toMatchObject({ state: 'CLOSED', mode: 'CLOSED', failuresInARow: 10 });
    circuit.setMode('AUTO');
    expect(circuit.view()).toMatchObject({ state: 'CLOSED', failuresInARow: 0 });
    expect(changes.map(({ mode }) => mode)).toEqual(['OPEN', 'CLOSED', 'AUTO']);
  });
});
