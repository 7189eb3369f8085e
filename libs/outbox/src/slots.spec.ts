import type { Destination } from './destination.js';
import { createSlots } from './slots.js';

const rail: Destination = { recognisesKeys: true, send: () => Promise.resolve({ kind: 'executed' }) };
const pace = { observe: () => undefined, runLength: () => 20 };

function slotsFor(destinations: Record<string, Destination>, caps: Record<string, number> = {}) {
  const paces = new Map(Object.keys(destinations).map((name) => [name, pace]));
  return createSlots({ destinations, concurrency: 5, concurrencyByRailType: caps, paces });
}

it('wants no more than there are free places, in all and of each rail type', () => {
  const slots = slotsFor({ A: rail, B: rail }, { A: 2 });
  expect(slots.wanted()).toEqual({
    railTypes: ['A', 'B'],
    limit: 5,
    limits: { A: { participants: 2, runLength: 20 }, B: { participants: 5, runLength: 20 } },
  });
  const frees = ['A', 'A', 'B', 'B'].map((railType) => slots.take(railType));
  expect(slots.wanted()).toMatchObject({ railTypes: ['B'], limit: 1 });
  slots.take('B');
  expect(slots.wanted()).toBeUndefined();
  frees.forEach((free) => free());
  expect(slots.wanted()).toMatchObject({ limit: 4, limits: { A: { participants: 2 } } });
});

it('wants nothing from a destination that takes nothing, and sends its probes one by one', () => {
  let capacity = 0;
  const slots = slotsFor({ A: { ...rail, capacity: () => capacity } });
  expect(slots.wanted()).toBeUndefined();
  capacity = 3;
  expect(slots.wanted()).toEqual({
    railTypes: ['A'],
    limit: 3,
    limits: { A: { participants: 3, runLength: 1 } },
  });
  capacity = Infinity;
  expect(slots.wanted()).toMatchObject({ limit: 5, limits: { A: { runLength: 20 } } });
});

it('takes one instruction at a time where a crash could not be cleared up', () => {
  const slots = slotsFor({ A: { ...rail, recognisesKeys: false } });
  expect(slots.wanted()).toMatchObject({ limits: { A: { runLength: 1 } } });
});
