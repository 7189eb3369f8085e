// `npm test`: every check there is, on real servers. The last line counts what really ran.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, root, run } from './bootstrap.mjs';

const { node, env } = await bootstrap();
const results = join(root, 'tmp', 'test-results');
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

const total = { passed: 0, failed: 0, skipped: 0 };

/** A check that passes or fails as a whole. */
async function check(name, command, ...args) {
  const outcome = await timed(name, command, args);
  total[outcome.code === 0 ? 'passed' : 'failed'] += 1;
  return outcome.code === 0;
}

/** A Jest run; its tests are counted from the report that Jest writes. */
async function suite(name, config) {
  const report = join(results, `${name.replaceAll(' ', '-')}.json`);
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const flags = [
    '--disable-warning=TimeoutNegativeWarning',
    jest,
    '-c',
    config,
    '--ci',
    '--json',
    `--outputFile=${report}`,
  ];
  const outcome = await timed(name, node, flags, () => summary(report));
  const counts = existsSync(report) ? readReport(report) : { passed: 0, failed: 1, skipped: 0 };
  // A run that broke outside any test (a file that does not compile, a stack that does not start) is a failure too.
  if (outcome.code !== 0 && counts.failed === 0) counts.failed = 1;
  for (const key of Object.keys(total)) total[key] += counts[key];
}

function readReport(file) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

function summary(file) {
  if (!existsSync(file)) return 'no report';
  const { passed, failed, skipped } = readReport(file);
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

async function timed(name, command, args, describe = () => '') {
  const started = Date.now();
  if (process.stdout.isTTY) process.stdout.write(`  …  ${name}`);
  const outcome = await run(command, args, env);
  const seconds = `${((Date.now() - started) / 1000).toFixed(1)} s`;
  const mark = outcome.code === 0 ? 'ok' : 'FAILED';
  const line = `${mark.padStart(6)}  ${name.padEnd(44)} ${seconds.padStart(8)}  ${describe()}`.trimEnd();
  process.stdout.write(`${process.stdout.isTTY ? '\r\x1b[2K' : ''}${line}\n`);
  // What a passing run says about itself (a suite that could not run and why) is worth reading too.
  if (outcome.code !== 0) process.stdout.write(`${outcome.output}\n`);
  else
    for (const notice of outcome.output.match(/^NOT RUN: .*$/gm) ?? [])
      process.stdout.write(`        ${notice}\n`);
  return outcome;
}

await check('format', 'prettier', '--check', '.');
await check('project references in sync', 'nx', 'sync:check');
await check('nothing unused', 'knip');
const built = await check('types', 'nx', 'run-many', '-t', 'typecheck', '--output-style=static');
await check('lint and module boundaries', 'nx', 'run-many', '-t', 'lint', '--output-style=static');
const deployable =
  built &&
  (await check('build and prune', 'nx', 'run-many', '-t', 'build', 'prune', '--output-style=static'));
await suite('unit tests', 'jest.config.cjs');
if (deployable) {
  await check('configuration tables in the READMEs', node, 'tools/readme-config.mjs', '--check');
  await check('OpenAPI documents', node, 'tools/openapi.mjs', '--check');
  await suite('integration tests on real servers', 'jest.int.config.cjs');
  await suite('end to end', 'jest.e2e.config.cjs');
} else {
  process.stdout.write('NOT RUN: integration and end-to-end tests, since the build failed\n');
}

process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exit(total.failed === 0 ? 0 : 1);
