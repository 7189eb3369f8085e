import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { openLedger } from './ledger.js';
import { allOf } from './testing.js';

const schema = z.object({ n: z.int() });

describe('openLedger', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-ledger-'));
    file = join(folder, 'new', 'ledger.ndjson');
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function reopen() {
    const lines: number[] = [];
    const ledger = await openLedger({ file, schema, onLine: ({ n }) => lines.push(n) });
    return { ledger, lines };
  }

  it('makes its file and folder, and reads back what was appended', async () => {
    const { ledger } = await reopen();
    await Promise.all(Array.from({ length: 500 }, (_, n) => ledger.append({ n })));
    expect(ledger.lineCount()).toBe(500);
    expect(await allOf(ledger.read())).toEqual(Array.from({ length: 500 }, (_, n) => ({ n })));
    await ledger.close();

    const again = await reopen();
    expect(again.lines).toHaveLength(500);
    expect(again.ledger.recovered).toEqual({ lines: 500, cutBytes: 0 });
    await again.ledger.close();
  });

  it.each(['{"n":3', '{"n":3}', '{', '\0\0\0\0'])(
    'cuts the torn last line %j and appends behind what is whole',
    async (torn) => {
      const { ledger } = await reopen();
      await ledger.append({ n: 1 });
      await ledger.append({ n: 2 });
      await ledger.close();
      await appendFile(file, torn);

      const again = await reopen();
      expect(again.lines).toEqual([1, 2]);
      expect(again.ledger.recovered).toEqual({ lines: 2, cutBytes: torn.length });
      expect(await readFile(file, 'utf8')).toBe('{"n":1}\n{"n":2}\n');
      await again.ledger.append({ n: 3 });
      await again.ledger.close();
      expect(await readFile(file, 'utf8')).toBe('{"n":1}\n{"n":2}\n{"n":3}\n');
    },
  );

  it('refuses a file with a damaged whole line, names the line and leaves the file alone', async () => {
    await (await reopen()).ledger.close();
    const content = '{"n":1}\n{"n":"two"}\n{"n":3}\n{"n":';
    await writeFile(file, content);
    await expect(reopen()).rejects.toMatchObject({
      code: 'LEDGER_DAMAGED',
      message: expect.stringContaining('line 2 of') as string,
    });
    expect(await readFile(file, 'utf8')).toBe(content);
  });

  it('stops when something else writes to its file', async () => {
    const { ledger } = await reopen();
    await ledger.append({ n: 1 });
    await appendFile(file, '{"n":2}\n');
    await expect(ledger.append({ n: 3 })).rejects.toMatchObject({ code: 'LEDGER_FAILED' });
    expect(ledger.failure()).toBeDefined();
    await ledger.close();
    expect(await readFile(file, 'utf8')).toBe('{"n":1}\n{"n":2}\n');
  });

  it('reads an empty ledger', async () => {
    const { ledger } = await reopen();
    expect(await allOf(ledger.read())).toEqual([]);
    await ledger.close();
  });
});
