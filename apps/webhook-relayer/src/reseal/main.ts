// Seals the signing secrets of all subscriptions with the current key: `node reseal/main.js`. Run it after SLUICE_SECRETS_KEY
// has changed on all instances, with the key before it in SLUICE_SECRETS_PREVIOUS_KEYS; then that one can be removed.
import { randomBytes } from 'node:crypto';
import { createLogger, parseEnvironment } from '@sluice/service-kit';
import { connectPg } from '@sluice/service-kit/pg';
import { z } from 'zod';
import { createDatabase } from '../adapters/database.js';
import { createPgSealedSecrets } from '../adapters/pg-sealed-secrets.js';
import { environment } from '../config.js';
import { resealSecrets } from '../reseal-secrets.js';
import { createSecretBox } from '../secret-box.js';
import { readSecretKeys, secretKeyVariables } from '../secret-keys.js';

const variables = z.object({ PG_URL: environment.shape.PG_URL, ...secretKeyVariables });

async function main(): Promise<void> {
  const names = Object.keys(variables.shape).flatMap((name) => [name, `${name}_FILE`]);
  const given = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  const parsed = parseEnvironment(variables, given);
  if (parsed.kind === 'invalid') {
    throw new Error(parsed.problems.map(({ variable, problem }) => `${variable}: ${problem}`).join('\n'));
  }
  const log = createLogger({ service: 'reseal', level: 'warn' });
  const pool = connectPg({ url: parsed.config.PG_URL, applicationName: 'webhook-relayer-reseal', log });
  try {
    const box = createSecretBox(readSecretKeys(parsed.config), randomBytes);
    const result = await resealSecrets(createPgSealedSecrets(createDatabase(pool)), box);
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  } finally {
    await pool.end();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
