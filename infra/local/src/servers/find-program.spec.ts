import { isAtLeast } from './find-program.js';

describe('a version', () => {
  it.each([
    ['15.18', '15'],
    ['18.4', '15'],
    ['1.10.0', '1.9.1'],
    ['1.9.1', '1.9.1'],
    ['6.2.5', '6.2'],
  ])('%s is at least %s', (found, wanted) => {
    expect(isAtLeast(found, wanted)).toBe(true);
  });

  it.each([
    ['14.9', '15'],
    ['1.9', '1.9.1'],
    ['6.0.16', '6.2'],
    ['11.0.2', '17'],
  ])('%s is not at least %s', (found, wanted) => {
    expect(isAtLeast(found, wanted)).toBe(false);
  });
});
