// Writes the OpenAPI document that each app serves at /openapi.json into apps/<app>/openapi.json, or with --check says which
// file differs from what the app would serve. Apps that serve none are skipped. Needs a build.
// Usage: node tools/openapi.mjs [--check]
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from './bootstrap.mjs';

const require = createRequire(import.meta.url);
const check = process.argv.includes('--check');

/** Stands for whatever the routes are made of: to be described they need nothing, and to do anything they are not asked. */
const nothing = new Proxy(function nothing() {}, { get: () => nothing, apply: () => nothing });

async function documentOf(app) {
  const file = join(root, 'apps', app, 'dist', 'http', 'routes.js');
  if (!existsSync(file)) return undefined;
  const { createRoutes } = require(file);
  const routes = typeof createRoutes === 'function' ? createRoutes(nothing, nothing, nothing) : [];
  if (!Array.isArray(routes)) return undefined;
  const route = routes.find(({ path }) => path === '/openapi.json');
  return (await route?.handle({}))?.body;
}

const stale = [];
for (const app of readdirSync(join(root, 'apps'))) {
  const file = join(root, 'apps', app, 'openapi.json');
  const document = await documentOf(app);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (document === undefined) {
    if (before !== undefined) throw new Error(`${file} exists, and ${app} serves no /openapi.json`);
    continue;
  }
  const after = await format(JSON.stringify(document), { ...(await resolveConfig(file)), parser: 'json' });
  if (after === before) continue;
  if (check) stale.push(`apps/${app}/openapi.json`);
  else writeFileSync(file, after);
}

if (stale.length > 0) {
  process.stderr.write(`${stale.join(', ')}: differs from the routes. Run: node tools/openapi.mjs\n`);
  process.exit(1);
}
