const quietMs = 25;

/** Sends at once, then at most once every 25 ms, however often it is called: commits must not queue up behind hints. */
export function createAnnouncer(send: () => Promise<unknown>): () => void {
  let resting = false;
  let asked = false;

  // Losing a hint costs one poll interval, so a failure here is nobody's concern.
  const sendQuietly = (): void => void send().catch(() => undefined);

  function announce(): void {
    if (resting) {
      asked = true;
      return;
    }
    resting = true;
    sendQuietly();
    setTimeout(() => {
      resting = false;
      if (!asked) return;
      asked = false;
      announce();
    }, quietMs).unref();
  }
  return announce;
}
