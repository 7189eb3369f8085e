import { createLatch } from './latch.js';

const never = new AbortController().signal;

it('does not lose a call that came while nobody waited', async () => {
  const latch = createLatch();
  latch.open();
  latch.open();
  await latch.wait(60_000, never);
  const second = latch.wait(60_000, never);
  latch.open();
  await second;
});

it('lets go after its time', async () => {
  await createLatch().wait(1, never);
});

it('lets go when the signal aborts, before or during the wait', async () => {
  const latch = createLatch();
  await latch.wait(60_000, AbortSignal.abort());
  const stop = new AbortController();
  const waiting = latch.wait(60_000, stop.signal);
  stop.abort();
  await waiting;
});
