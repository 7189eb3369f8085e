// Writes the documents that each app serves about itself into its folder: /openapi.json, and /asyncapi.json where it has topics.
// With --check it says which file differs from what the app would serve. Apps that serve none are skipped. Needs a build.
// Usage: node tools/openapi.mjs [--check]
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from './bootstrap.mjs';

const require = createRequire(import.meta.url);
const check = process.argv.includes('--check');
const documents = ['openapi.json', 'asyncapi.json'];

/** Stands for whatever the routes are made of: to be described they need nothing, and to do anything they are not asked. */
const nothing = new Proxy(function nothing() {}, { get: () => nothing, apply: () => nothing });

function routesOf(app) {
  const file = join(root, 'apps', app, 'dist', 'http', 'routes.js');
  const { createRoutes } = existsSync(file) ? require(file) : {};
  const routes = typeof createRoutes === 'function' ? createRoutes(nothing, nothing, nothing) : [];
  return Array.isArray(routes) ? routes : [];
}

/** Says whether the file is what the app would serve; without --check it is, afterwards. */
async function settle(app, name, served) {
  const file = join(root, 'apps', app, name);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (served === undefined) {
    if (before !== undefined) throw new Error(`${file} exists, and ${app} serves no /${name}`);
    return true;
  }
  const after = await format(JSON.stringify(served), { ...(await resolveConfig(file)), parser: 'json' });
  if (!check) writeFileSync(file, after);
  return !check || after === before;
}

const stale = [];
for (const app of readdirSync(join(root, 'apps'))) {
  const routes = routesOf(app);
  for (const name of documents) {
    const route = routes.find(({ path }) => path === `/${name}`);
    const served = (await route?.handle({}))?.body;
    if (!(await settle(app, name, served))) stale.push(`apps/${app}/${name}`);
  }
}

if (stale.length > 0) {
  process.stderr.write(`${stale.join(', ')}: differs from the routes. Run: node tools/openapi.mjs\n`);
  process.exit(1);
}
