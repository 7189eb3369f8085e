import { deliveryCursor, writeCursor } from './cursor.js';

describe('the cursor of a page', () => {
  it('comes back as it was, to the microsecond', () => {
    const cursor = { at: '2026-05-01T16:00:00.123456Z', id: '9007199254740993' };
    expect(writeCursor(cursor)).toMatch(/^[\w-]+$/);
    expect(deliveryCursor.parse(writeCursor(cursor))).toEqual(cursor);
  });

  it.each([
    '',
    'x',
    writeCursor({ at: '2026-05-01', id: '1' }),
    writeCursor({ at: '2026-99-99T16:00:00.123456Z', id: '1' }),
    writeCursor({ at: '2026-05-01T16:00:00.123456Z', id: '1; DROP' }),
  ])('is refused when nobody gave it out: %s', (text) => {
    expect(deliveryCursor.safeParse(text).success).toBe(false);
  });
});
