// Writes the table of variables into each app's README from the schema that the app itself parses, or with --check
// says which README differs from its schema. Needs a build.
// Usage: node tools/readme-config.mjs [--check]
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from './bootstrap.mjs';

const require = createRequire(import.meta.url);
const { configurationTable } = require(join(root, 'libs/service-kit/dist/index.js'));
const check = process.argv.includes('--check');
const section = /(<!-- configuration -->)[\s\S]*?(<!-- \/configuration -->)/;
const stale = [];

for (const app of readdirSync(join(root, 'apps'))) {
  const file = join(root, 'apps', app, 'README.md');
  const { environment } = require(join(root, 'apps', app, 'dist', 'config.js'));
  const before = readFileSync(file, 'utf8');
  if (!section.test(before))
    throw new Error(`${file} has no <!-- configuration --> section for the table of variables`);
  const table = configurationTable(environment);
  const after = await format(
    before.replace(section, (_, open, close) => `${open}\n\n${table}\n\n${close}`),
    {
      ...(await resolveConfig(file)),
      parser: 'markdown',
    },
  );
  if (after === before) continue;
  if (check) stale.push(`apps/${app}/README.md`);
  else writeFileSync(file, after);
}

if (stale.length > 0) {
  process.stderr.write(
    `${stale.join(', ')}: the table of variables differs from src/config.ts. Run: node tools/readme-config.mjs\n`,
  );
  process.exit(1);
}
