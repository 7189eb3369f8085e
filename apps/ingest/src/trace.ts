/** A W3C trace context, version 00: `00-<trace id>-<span id>-<flags>`. */
const traceparentPattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export function isTraceparent(text: unknown): text is string {
  return typeof text === 'string' && traceparentPattern.test(text);
}

/** The context that came with a request, or the beginning of a new trace: a broken header is no reason to refuse a payment. */
export function traceOf(given: unknown, randomBytes: (size: number) => Buffer): string {
  if (isTraceparent(given)) return given;
  const bytes = randomBytes(24).toString('hex');
  return `00-${bytes.slice(0, 32)}-${bytes.slice(32)}-01`;
}

export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}
