// `npm start`: installs, builds and hands over to infra/local, which brings up the whole system.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { bootstrap, root, run } from './bootstrap.mjs';

const { node, env } = await bootstrap();

const started = Date.now();
process.stderr.write('  building (from the cache where nothing changed) …\n');
const build = await run('nx', ['run-many', '-t', 'build', '--output-style=static'], env);
if (build.code !== 0) {
  process.stderr.write(`${build.output}\nThe build failed; its output is above. Nothing was started.\n`);
  process.exit(1);
}
process.stderr.write(`  built in ${((Date.now() - started) / 1000).toFixed(1)} s\n`);

// kafkajs arms a negative timer, which Node.js 24 warns of; see ADR 0004.
const flags = ['--disable-warning=TimeoutNegativeWarning'];
const system = spawn(node, [...flags, join(root, 'infra/local/dist/main.js'), ...process.argv.slice(2)], {
  cwd: root,
  env,
  stdio: 'inherit',
});
// Ctrl-C reaches the whole foreground group; this process only waits for the system to stop itself in order.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => signal !== 'SIGINT' && system.kill(signal));
system.on('close', (code) => process.exit(code ?? 1));
