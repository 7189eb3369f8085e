import type { Bench } from '../bench.js';
import { claimAndMark } from './claim-and-mark.js';
import { claimLatency } from './claim-latency.js';
import { dispatchRate } from './dispatch-rate.js';
import { temporalLoad } from './temporal-load.js';

/** The dispatch queue and its way into Temporal. */
export const dispatchBench: Bench = {
  name: 'dispatch',
  parts: [claimAndMark, claimLatency, dispatchRate, temporalLoad],
};
