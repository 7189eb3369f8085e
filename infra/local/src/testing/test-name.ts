import { createHash } from 'node:crypto';
import { basename } from 'node:path';

const longestWords = 30;

/**
 * A name for all that one test file makes outside: its database, topics, task queues, workflow ids. Lower-case letters, digits
 * and underscores, told apart from other files and from other runs against the same servers.
 */
export function testNameOf(file: string, runId: string): string {
  const words = basename(file)
    .replace(/\.int\.spec\.ts$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, longestWords);
  const place = createHash('sha256').update(file).digest('hex').slice(0, 6);
  return `t_${words}_${place}_${runId}`;
}
