import { execFile } from 'node:child_process';
import { readFile, readdir, readlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { promisify } from 'node:util';

export interface TakenPort {
  readonly port: number;
  readonly use: string;
  /** Who listens there, as far as the operating system tells us. */
  readonly holder: string | undefined;
}

/** Those of the ports that something listens on already. */
export async function takenPorts(wanted: ReadonlyMap<number, string>): Promise<readonly TakenPort[]> {
  const checks = [...wanted].map(async ([port, use]) => ({ port, use, free: await isFree(port) }));
  const taken = (await Promise.all(checks)).filter(({ free }) => !free);
  return await Promise.all(taken.map(async ({ port, use }) => ({ port, use, holder: await holderOf(port) })));
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}

async function holderOf(port: number): Promise<string | undefined> {
  return process.platform === 'linux' ? await holderFromProc(port) : await holderFromLsof(port);
}

async function holderFromLsof(port: number): Promise<string | undefined> {
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'];
  const { stdout } = await promisify(execFile)('lsof', args, { timeout: 5_000 }).catch(() => ({
    stdout: '',
  }));
  const found = /^p(\d+)\nc(.*)$/m.exec(stdout);
  return found ? `pid ${found[1]} (${found[2]})` : undefined;
}

/** The listening socket's inode, then the process that has it open. */
async function holderFromProc(port: number): Promise<string | undefined> {
  const inodes = await listeningInodes(port);
  if (inodes.size === 0) return undefined;
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    if (await hasOpen(pid, inodes)) return `pid ${pid} (${await commandOf(pid)})`;
  }
  return undefined;
}

async function listeningInodes(port: number): Promise<ReadonlySet<string>> {
  const listening = '0A';
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  const inodes = new Set<string>();
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(1);
    for (const line of lines) {
      const fields = line.trim().split(/\s+/);
      if (fields[1]?.endsWith(`:${hexPort}`) && fields[3] === listening && fields[9]) inodes.add(fields[9]);
    }
  }
  return inodes;
}

async function hasOpen(pid: string, inodes: ReadonlySet<string>): Promise<boolean> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  for (const descriptor of descriptors) {
    const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
    if (inode !== undefined && inodes.has(inode)) return true;
  }
  return false;
}

async function commandOf(pid: string): Promise<string> {
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').join(' ').trim();
  return words.length > 80 ? `${words.slice(0, 79)}…` : words;
}
