import type { Bench } from '../bench.js';
import { hotInstant } from './hot-instant.js';
import { nthAssignment } from './nth-assignment.js';
import { oneMillion } from './one-million.js';

/** Time slots under a rate limit. */
export const slotsBench: Bench = {
  name: 'slots',
  parts: [hotInstant, oneMillion, nthAssignment],
};
