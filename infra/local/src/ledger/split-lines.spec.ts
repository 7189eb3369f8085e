import { splitLines } from './split-lines.js';
import { allOf } from './testing.js';

async function* chunksOf(...texts: (string | Buffer)[]) {
  for (const text of texts) yield Buffer.from(text);
}

function split(...texts: (string | Buffer)[]) {
  return allOf(splitLines(chunksOf(...texts)));
}

describe('splitLines', () => {
  it('yields lines with the offset behind them', async () => {
    expect(await split('a\nbc\n')).toEqual([
      { text: 'a', end: 2 },
      { text: 'bc', end: 5 },
    ]);
  });

  it('joins lines that are spread over chunks', async () => {
    expect(await split('a', 'b', 'c\nd', '\n')).toEqual([
      { text: 'abc', end: 4 },
      { text: 'd', end: 6 },
    ]);
  });

  it('joins a character that is cut in the middle of its bytes', async () => {
    const bytes = Buffer.from('€\n');
    expect(await split(bytes.subarray(0, 1), bytes.subarray(1))).toEqual([{ text: '€', end: 4 }]);
  });

  it('leaves out what has no newline, so that the last offset is the length of what is whole', async () => {
    expect(await split('whole\n{"torn":')).toEqual([{ text: 'whole', end: 6 }]);
    expect(await split('{"complete":"but without newline"}')).toEqual([]);
    expect(await split()).toEqual([]);
  });
});
