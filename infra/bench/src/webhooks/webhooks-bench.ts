import type { Bench } from '../bench.js';
import { acceptToDelivery } from './accept-to-delivery.js';
import { badNeighbours } from './bad-neighbours.js';
import { fullSpeed } from './full-speed.js';

/** Events from the API to the customers' endpoints. */
export const webhooksBench: Bench = { name: 'webhooks', parts: [acceptToDelivery, fullSpeed, badNeighbours] };
