import { exhaustedCursor, writeCursor } from './cursor.js';

describe('the cursor of a page', () => {
  it('comes back as it was, to the microsecond and with any id', () => {
    const cursor = { at: '2026-05-01T16:00:00.123456Z', itemId: 'ä {"x"}, \\/' };
    const text = writeCursor(cursor);
    expect(text).toMatch(/^[\w-]+$/);
    expect(exhaustedCursor.parse(text)).toEqual(cursor);
  });

  it.each([
    '',
    'x',
    writeCursor({ at: '2026-05-01', itemId: 'a' }),
    writeCursor({ at: '2026-99-99T16:00:00.123456Z', itemId: 'a' }),
    writeCursor({ at: '2026-05-01T16:00:00.123456Z', itemId: '' }),
  ])('is refused when nobody gave it out: %s', (text) => {
    expect(exhaustedCursor.safeParse(text).success).toBe(false);
  });
});
