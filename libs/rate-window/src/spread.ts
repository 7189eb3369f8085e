// Where inside its window a slot lies.
//
// A window of capacity n is cut into n equal cells, and slot number k takes cell (k × stride) mod n. With a stride close
// to n divided by the golden ratio, and free of common factors with n, the first k slots are spread evenly whatever k is;
// and since no two slots share a cell, no span of time ever holds more than its even share plus one slot, in whatever
// order and for whatever requested times the cells are taken. (The bare golden-ratio sequence, without cells, is as even
// but looser: 100 slots in 4 s can put 27 of them into one second.) All windows use the same cells, so the bound holds
// across the border of two windows too.

const GOLDEN_RATIO_INVERSE = (Math.sqrt(5) - 1) / 2;
const STRIDE_SEARCH_REACH = 512;

/** Parts of a cell that a phase counts. */
const PHASE_UNITS = 1_000;

export interface Spread {
  readonly capacity: number;
  readonly stride: number;
  /** How far into its cell a slot lies, in thousandths of the cell. */
  readonly phase: number;
}

/** The spread of one version of a config. */
export function createSpread(capacity: number, version: number): Spread {
  return { capacity, stride: goldenStride(capacity), phase: versionPhase(version) };
}

/** Milliseconds from the start of the window to slot `slotNo`. */
export function slotOffset(spread: Spread, windowSize: number, slotNo: number): number {
  const cell = (slotNo * spread.stride) % spread.capacity;
  const position = BigInt(cell * PHASE_UNITS + spread.phase) * BigInt(windowSize);
  return Number(position / BigInt(spread.capacity * PHASE_UNITS));
}

/**
 * The step from one slot's cell to the next. Among the steps near the golden one that visit every cell, it is the one
 * whose ratio to the capacity is hardest to approximate by a simple fraction, since near a simple fraction consecutive
 * slots pile up: the nearest step for 720 cells is 443, close to 8/13, and puts 14 slots too many into half a window.
 */
export function goldenStride(capacity: number): number {
  const golden = Math.round(capacity * GOLDEN_RATIO_INVERSE);
  const reach = Math.min(STRIDE_SEARCH_REACH, Math.ceil(capacity * 0.06));
  let best: { stride: number; quality: number } | undefined;
  for (let distance = 0; distance <= capacity && (distance <= reach || best === undefined); distance += 1) {
    for (const stride of [golden - distance, golden + distance]) {
      const quality = strideQuality(stride, capacity);
      if (quality < (best?.quality ?? Infinity)) best = { stride, quality };
    }
  }
  return best?.stride ?? 1;
}

/**
 * The grid of each version of a config is shifted against that of the version before, by golden steps of a cell. A
 * doubled capacity would otherwise put half of the new slots on the very milliseconds that the old ones hold.
 */
function versionPhase(version: number): number {
  return ((version - 1) * Math.round(GOLDEN_RATIO_INVERSE * PHASE_UNITS)) % PHASE_UNITS;
}

/** Smaller is better: the largest partial quotient of stride/capacity, then their sum; Infinity if cells are missed. */
function strideQuality(stride: number, capacity: number): number {
  if (stride < 1 || stride >= Math.max(capacity, 2)) return Infinity;
  let [divided, divisor] = [capacity, stride];
  let largest = 0;
  let sum = 0;
  while (divisor > 0) {
    const quotient = Math.floor(divided / divisor);
    largest = Math.max(largest, quotient);
    sum += quotient;
    [divided, divisor] = [divisor, divided % divisor];
  }
  return divided === 1 ? largest * 1_000 + Math.min(sum, 999) : Infinity;
}
