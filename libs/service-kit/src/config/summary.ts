import { redactUrl } from '../log/redact-text.js';
import type { VariableMeta } from './variable.js';

export interface SummaryEntry {
  readonly variable: string;
  /** Safe to log: a secret is only `set` or `not set`. */
  readonly value: string;
  readonly origin: 'environment' | 'file' | 'default' | 'not set';
}

export interface SummarySubject {
  readonly name: string;
  readonly meta: VariableMeta;
  readonly value: unknown;
  readonly raw: string | undefined;
  readonly origin: SummaryEntry['origin'];
}

export function summaryEntry({ name, meta, value, raw, origin }: SummarySubject): SummaryEntry {
  return { variable: name, value: safeValue(meta, value, raw), origin };
}

function safeValue(meta: VariableMeta, value: unknown, raw: string | undefined): string {
  if (raw === undefined)
    return value === undefined || meta.secret === 'whole' ? 'not set' : showValue(meta, value);
  if (meta.secret === 'whole') return 'set';
  return redactUrl(raw) ?? (meta.secret === 'credentials' ? 'set' : raw);
}

/** A value in the form that it has in the environment. */
export function showValue(meta: VariableMeta, value: unknown): string {
  if (meta.show !== undefined) return meta.show(value);
  return Array.isArray(value) ? value.join(',') : String(value);
}

/** The summary as text, for `--check-config`. */
export function describeSummary(summary: readonly SummaryEntry[]): string {
  const width = Math.max(0, ...summary.map(({ variable }) => variable.length));
  return summary
    .map(({ variable, value, origin }) => {
      const note = origin === 'environment' || value === origin ? '' : ` (${origin})`;
      return `  ${variable.padEnd(width)}  ${value}${note}`;
    })
    .join('\n');
}
