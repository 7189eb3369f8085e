import fc from 'fast-check';
import { closestName, editDistance } from './closest-name.js';

describe('closestName', () => {
  it('finds the name that was meant', () => {
    expect(closestName('SLUICE_LOG_LEVL', ['SLUICE_ENV', 'SLUICE_LOG_LEVEL'])).toBe('SLUICE_LOG_LEVEL');
  });

  it('does not guess when nothing is near', () => {
    expect(closestName('SLUICE_TOTALLY_ELSE', ['SLUICE_ENV', 'SLUICE_LOG_LEVEL'])).toBeUndefined();
  });

  it('measures a distance: zero only for equals, symmetric, at most the longer length', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        const distance = editDistance(a, b);
        expect(distance === 0).toBe(a === b);
        expect(editDistance(b, a)).toBe(distance);
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});
