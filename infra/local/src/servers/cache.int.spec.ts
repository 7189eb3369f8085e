import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cached } from './cache.js';

describe('a folder in the cache', () => {
  let cache: string;
  beforeEach(async () => {
    cache = await mkdtemp(join(tmpdir(), 'cache-'));
  });
  afterEach(async () => {
    await rm(cache, { recursive: true });
  });

  const writes = (text: string) => (folder: string) => writeFile(join(folder, 'program'), text);

  it('is filled once and found from then on', async () => {
    const first = await cached(cache, 'tool-1', writes('first'));
    const second = await cached(cache, 'tool-1', writes('second'));
    expect([first.wasThere, second.wasThere]).toEqual([false, true]);
    expect(await readFile(join(second.folder, 'program'), 'utf8')).toBe('first');
  });

  it('is not there after it could not be filled, and can be filled later', async () => {
    const fails = async (folder: string): Promise<void> => {
      await writes('half')(folder);
      throw new Error('cut');
    };
    await expect(cached(cache, 'tool-1', fails)).rejects.toThrow('cut');
    expect(await readdir(cache)).toEqual([]);
    expect(await cached(cache, 'tool-1', writes('whole'))).toMatchObject({ wasThere: false });
  });

  it('is not seen by others while it is being filled', async () => {
    await cached(cache, 'tool-1', async (folder) => {
      await writes('half')(folder);
      expect(await readdir(cache)).not.toContain('tool-1');
    });
    expect(await readdir(cache)).toEqual(['tool-1']);
  });

  it('stays the one of whoever was first when somebody else filled it meanwhile', async () => {
    const { folder } = await cached(cache, 'tool-1', async (draft) => {
      await writes('ours')(draft);
      await mkdir(join(cache, 'tool-1'));
      await writes('theirs')(join(cache, 'tool-1'));
    });
    expect(await readFile(join(folder, 'program'), 'utf8')).toBe('theirs');
    expect(await readdir(cache)).toEqual(['tool-1']);
  });

  it('takes away what a process that died in the middle has left', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    await mkdir(join(cache, `.filling-${pid}-tool-0`));
    await cached(cache, 'tool-1', writes('whole'));
    expect(await readdir(cache)).toEqual(['tool-1']);
  });
});
