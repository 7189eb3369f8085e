// `npm run bench -- <bench>`: installs, builds and hands over to infra/bench, which measures on servers of its own.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { bootstrap, root, run } from './bootstrap.mjs';

const { node, env } = await bootstrap();

process.stderr.write('  building (from the cache where nothing changed) …\n');
const build = await run('nx', ['run-many', '-t', 'build', '--output-style=static'], env);
if (build.code !== 0) {
  process.stderr.write(`${build.output}\nThe build failed; its output is above. Nothing was measured.\n`);
  process.exit(1);
}

// node:sqlite says of itself that it is experimental; it only reads here.
const program = ['--disable-warning=ExperimentalWarning', join(root, 'infra/bench/dist/main.js')];
const bench = spawn(node, [...program, ...process.argv.slice(2)], { cwd: root, env, stdio: 'inherit' });
// Ctrl-C reaches the whole foreground group; this process only waits for the bench to stop its servers in order.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => signal !== 'SIGINT' && bench.kill(signal));
bench.on('close', (code) => process.exit(code ?? 1));
