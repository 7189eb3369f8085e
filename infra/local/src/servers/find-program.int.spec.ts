import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findOnPath, versionOf } from './find-program.js';

describe('a program on the PATH', () => {
  let folder: string;
  const place = (name: string): string => join(folder, name);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'find-program-'));
    for (const name of ['first', 'second']) await mkdir(place(name));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  async function program(file: string, text = '#!/bin/sh\n'): Promise<string> {
    await writeFile(place(file), text);
    await chmod(place(file), 0o755);
    return place(file);
  }
  const environment = (): { PATH: string } => ({
    PATH: [place('first'), '', place('second')].join(delimiter),
  });

  it('is found in the first folder that has it', async () => {
    await program('second/tool');
    const nearest = await program('first/tool');
    expect(await findOnPath(['tool'], environment())).toBe(nearest);
  });

  it('is found under its first name that is there', async () => {
    const other = await program('first/tool.sh');
    expect(await findOnPath(['tool', 'tool.sh'], environment())).toBe(other);
  });

  it('is not a folder, nor a file that cannot be run', async () => {
    await mkdir(place('first/tool'));
    await writeFile(place('second/tool'), 'text');
    expect(await findOnPath(['tool'], environment())).toBeUndefined();
  });

  it('is not found without a PATH', async () => {
    expect(await findOnPath(['tool'], {})).toBeUndefined();
  });

  it('tells its version on either output', async () => {
    const tool = await program('first/tool', '#!/bin/sh\necho tool 4.1.1-rc1 of 2026 >&2\n');
    expect(await versionOf(tool, ['--version'], environment())).toBe('4.1.1');
  });

  it('has no version when it does not run', async () => {
    const tool = await program('first/tool', '#!/bin/sh\necho 1.2.3; exit 3\n');
    expect(await versionOf(tool, [], environment())).toBeUndefined();
  });
});
