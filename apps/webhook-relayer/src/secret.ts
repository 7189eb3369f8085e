const PREFIX = 'whsec_';
const GENERATED_BYTES = 32;

/** A new signing secret in the form that Standard Webhooks gives it. */
export function generateSecret(randomBytes: (size: number) => Buffer): string {
  return secretText(randomBytes(GENERATED_BYTES));
}

/** The `whsec_` form of a key: what the customer was shown. */
export function secretText(key: Buffer): string {
  return PREFIX + key.toString('base64');
}

/**
 * The key of a `whsec_` secret, or undefined when it is not one of 24 to 64 bytes. Only the one spelling that base64 has for
 * these bytes is taken, so that the text can be made from the key again.
 */
export function secretKey(secret: string): Buffer | undefined {
  if (!secret.startsWith(PREFIX)) return undefined;
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const isExact = secretText(key) === secret;
  return isExact && key.length >= 24 && key.length <= 64 ? key : undefined;
}
