import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const folder = join(__dirname, 'histories');

/**
 * Saves what a workflow went through, without what belongs to the machine it ran on. The SDK's own way to JSON needs all its
 * packages to share one protobufjs, which npm does not see to; so this writes what the SDK's encoder takes as it is: numbers
 * for enums and longs, base64 for bytes.
 */
export async function saveHistory(name: string, history: unknown): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name.toLowerCase()}.json`), `${JSON.stringify(plain(history), null, 2)}\n`);
}

/** The saved histories by name, as JSON. */
export function savedHistories(): readonly (readonly [string, string])[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files.toSorted().map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const);
}

function plain(value: unknown, field = ''): unknown {
  if (field === 'identity') return 'exec-worker';
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map((one) => plain(one));
  if (typeof value !== 'object' || value === null) return value;
  if ('toNumber' in value && typeof value.toNumber === 'function')
    return (value as { toNumber(): number }).toNumber();
  const fields = Object.entries(value).filter(([, one]) => one !== null && one !== undefined);
  return Object.fromEntries(fields.map(([name, one]) => [name, plain(one, name)]));
}
