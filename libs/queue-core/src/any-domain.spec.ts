import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

describe('the dispatch queue', () => {
  it('serves any domain: nothing in it speaks of one', () => {
    const files = readdirSync(__dirname, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ts|sql)$/.test(file) && !file.endsWith('.spec.ts'))
      .map((file) => join(__dirname, file));
    expect(files.length).toBeGreaterThan(30);
    expect(files.filter((file) => /payment|\b(rail|bank)/i.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});
