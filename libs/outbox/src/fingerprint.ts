import { createHash } from 'node:crypto';
import type { OutboxEntry } from './ports.js';

/** Tells whether two entries say the same; the order of an object's keys does not matter. */
export function fingerprint(entry: OutboxEntry): string {
  const { instructionId, participantId, idempotencyKey, railType, payload } = entry;
  const content = canonical([instructionId, participantId, idempotencyKey, railType, payload]);
  return createHash('sha256').update(content).digest('hex');
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (isPlainObject(part) ? sorted(part) : part));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
