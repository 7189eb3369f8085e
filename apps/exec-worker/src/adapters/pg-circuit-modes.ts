import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Rail } from '@sluice/payments';
import type { Pool } from '@sluice/service-kit/pg';
import { circuitModes } from '../rails/circuit.js';
import type { CircuitModes, CircuitModeChange, CircuitSetting } from '../ports.js';

const SettingRow = z
  .object({
    rail: Rail,
    mode: z.enum(circuitModes),
    reason: z.string(),
    set_by: z.string(),
    set_at: z.date(),
  })
  .transform((row): CircuitSetting => ({
    rail: row.rail,
    mode: row.mode,
    reason: row.reason,
    by: row.set_by,
    at: row.set_at,
  }));

const ChangeRow = z
  .object({
    mode_before: z.enum(circuitModes).nullable(),
    mode_after: z.enum(circuitModes),
    reason: z.string(),
    changed_by: z.string(),
    changed_at: z.date(),
  })
  .transform((row): CircuitModeChange => ({
    before: row.mode_before,
    after: row.mode_after,
    reason: row.reason,
    by: row.changed_by,
    at: row.changed_at,
  }));

/** What operators said about the circuits, in PostgreSQL, where every instance reads it. */
export function pgCircuitModes(pool: Pool): CircuitModes {
  const load = (name: string) => readFileSync(join(__dirname, 'sql', 'pg', `${name}.sql`), 'utf8');
  const setMode = load('set_circuit_mode');
  const listModes = load('list_circuit_modes');
  const listChanges = load('list_circuit_changes');
  return {
    async list() {
      const { rows } = await pool.query(listModes);
      return rows.map((row) => SettingRow.parse(row));
    },
    async set({ rail, mode, reason, by }) {
      const { rows } = await pool.query(setMode, [rail, mode, reason, by]);
      return SettingRow.parse(rows[0]);
    },
    async changes(rail, limit) {
      const { rows } = await pool.query(listChanges, [rail, limit]);
      return rows.map((row) => ChangeRow.parse(row));
    },
  };
}
