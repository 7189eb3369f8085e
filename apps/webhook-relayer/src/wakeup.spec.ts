import { createWakeup } from './wakeup.js';

describe('createWakeup', () => {
  const never = new AbortController().signal;

  it('ends a rest at the next call', async () => {
    const wakeup = createWakeup();
    const rest = wakeup.wait(never);
    wakeup.notify();
    await rest;
  });

  it('keeps a call for the next rest, until it is cleared', async () => {
    const wakeup = createWakeup();
    wakeup.notify();
    await wakeup.wait(never);
    wakeup.clear();
    const stop = new AbortController();
    let ended = false;
    const rest = wakeup.wait(stop.signal).then(() => {
      ended = true;
    });
    await Promise.resolve();
    expect(ended).toBe(false);
    stop.abort();
    await rest;
  });
});
