// The first file of `npm start` and `npm test`. It must run on Node.js 20.19, which a fresh machine may have; it installs
// what the lockfile pins, the newer Node.js that everything else runs on included, and says where that is.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const OLDEST_NODE_TO_RUN = [22, 19];
const stamp = join(root, 'node_modules', '.sluice-installed');

/** Installs when the lockfile changed since the last install, and returns the environment to run everything else in. */
export async function bootstrap() {
  const lockfile = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lockfile) {
    await install();
    writeFileSync(stamp, lockfile);
  }
  const bin = join(root, 'node_modules', '.bin');
  const pinned = join(bin, 'node');
  const node = existsSync(pinned) ? pinned : process.execPath;
  if (node === process.execPath) refuseOldNode();
  return {
    node,
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
      // A daemon would outlive the command; the cache alone makes the second run quick.
      NX_DAEMON: 'false',
      NX_TUI: 'false',
    },
  };
}

async function install() {
  const started = Date.now();
  const line = (text) => process.stderr.write(process.stderr.isTTY ? `\r\x1b[2K${text}` : `${text}\n`);
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  line('  installing the dependencies that package-lock.json pins (about a minute the first time) …');
  const ticker = process.stderr.isTTY
    ? setInterval(
        () => line(`  installing the dependencies that package-lock.json pins … ${seconds()}`),
        1000,
      )
    : undefined;
  // Engine warnings are hidden: npm may run on an older Node.js than the one that it is just installing.
  const { code, output } = await run(
    'npm',
    ['ci', '--loglevel=error', '--no-fund', '--no-audit'],
    process.env,
  );
  clearInterval(ticker);
  if (code !== 0) {
    process.stderr.write(`\n${output}\nnpm ci failed; its output is above. Nothing was started.\n`);
    process.exit(1);
  }
  line(`  dependencies installed in ${seconds()}\n`);
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [wantedMajor, wantedMinor] = OLDEST_NODE_TO_RUN;
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  process.stderr.write(
    `Node.js ${process.versions.node} was found, ${OLDEST_NODE_TO_RUN.join('.')} or later is needed, and there is no ` +
      `pinned Node.js for ${process.platform}-${process.arch} in the package registry. Install Node.js 24 and try again.\n`,
  );
  process.exit(1);
}

/** Runs a command to its end and returns its exit code and all it printed. */
export function run(command, args, env) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ code: 127, output: `${command}: ${error.message}` }));
    child.on('close', (code, signal) => resolve({ code: code ?? 1, output, signal }));
  });
}
