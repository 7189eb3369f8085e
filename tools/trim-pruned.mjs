// Leaves in a pruned folder only what a service needs to run: the copies of our libs lose their sources and settings,
// and the app's package.json loses what only the workspace understands.
// Usage: node tools/trim-pruned.mjs <pruned folder>
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
const modules = join(folder, 'workspace_modules', '@sluice');
const kept = new Set(['dist', 'package.json']);

for (const name of existsSync(modules) ? readdirSync(modules) : []) {
  for (const entry of readdirSync(join(modules, name))) {
    if (!kept.has(entry)) rmSync(join(modules, name, entry), { recursive: true });
  }
}

const file = join(folder, 'package.json');
const manifest = { ...JSON.parse(readFileSync(file, 'utf8')), main: './main.js' };
delete manifest.nx;
writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
