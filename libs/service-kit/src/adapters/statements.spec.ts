import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const list = (dialect: string): string[] => readdirSync(join(__dirname, 'sql', dialect)).sort();

describe('the statements of the kit', () => {
  it('are the same files for both databases', () => {
    expect(list('oracle')).toEqual(list('pg'));
  });

  it.each(['pg', 'oracle'])('say in %s what they are for, what goes in and what comes out', (dialect) => {
    for (const file of list(dialect)) {
      const text = readFileSync(join(__dirname, 'sql', dialect, file), 'utf8');
      expect(text).toMatch(/^-- \S[\s\S]*?\n-- In: .*Out: /);
    }
  });
});
