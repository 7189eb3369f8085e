import { createAnnouncer } from './pg-announcer.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('sends the first hint at once and folds those that follow into one', () => {
  let sent = 0;
  const announce = createAnnouncer(() => Promise.resolve((sent += 1)));
  for (let n = 0; n < 100; n += 1) announce();
  expect(sent).toBe(1);
  jest.advanceTimersByTime(25);
  expect(sent).toBe(2);
  jest.advanceTimersByTime(1_000);
  expect(sent).toBe(2);
  announce();
  expect(sent).toBe(3);
});

it('keeps a failure to itself', async () => {
  const announce = createAnnouncer(() => Promise.reject(new Error('away')));
  announce();
  await Promise.resolve();
});
