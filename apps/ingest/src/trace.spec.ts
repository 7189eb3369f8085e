import { traceIdOf, traceOf } from './trace.js';

const bytes = (size: number) => Buffer.alloc(size, 0xab);
const given = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('the trace of a request', () => {
  test('is the one that came with it', () => {
    expect(traceOf(given, bytes)).toBe(given);
    expect(traceIdOf(given)).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
  });

  test.each([undefined, '', 'x', given.toUpperCase(), `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, [given]])(
    'begins anew where %j came',
    (wrong) => {
      expect(traceOf(wrong, bytes)).toBe(`00-${'ab'.repeat(16)}-${'ab'.repeat(8)}-01`);
    },
  );
});
