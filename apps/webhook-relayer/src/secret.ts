const PREFIX = 'whsec_';
const GENERATED_BYTES = 32;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A new signing secret in the form that Standard Webhooks gives it. */
export function generateSecret(randomBytes: (size: number) => Buffer): string {
  return PREFIX + randomBytes(GENERATED_BYTES).toString('base64');
}

/** The key of a `whsec_` secret, or undefined when it is not one of 24 to 64 bytes. */
export function secretKey(secret: string): Buffer | undefined {
  const encoded = secret.slice(PREFIX.length);
  if (!secret.startsWith(PREFIX) || encoded.length % 4 !== 0 || !BASE64.test(encoded)) return undefined;
  const key = Buffer.from(encoded, 'base64');
  return key.length >= 24 && key.length <= 64 ? key : undefined;
}
