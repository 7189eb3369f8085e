import type { Bench } from '../bench.js';
import { commitToSend } from './commit-to-send.js';
import { enqueueRate } from './enqueue-rate.js';
import { relayRate } from './relay-rate.js';

/** The transactional outbox: into it, out of it, and how long that takes. */
export const outboxBench: Bench = { name: 'outbox', parts: [enqueueRate, relayRate, commitToSend] };
