import { secretText } from '@sluice/service-kit';
import type { SecretKeys } from './secret-box.js';

const KEY = '[A-Za-z0-9+/]{43}=';

/** The variables of the keys that secrets are sealed with. */
export const secretKeyVariables = {
  SLUICE_SECRETS_KEY: secretText({
    pattern: new RegExp(`^${KEY}$`),
    expected: '32 bytes in base64',
  }).describe('Encrypts the signing secrets of subscriptions at rest'),
  SLUICE_SECRETS_PREVIOUS_KEYS: secretText({
    pattern: new RegExp(`^${KEY}(,${KEY})*$`),
    expected: '32 bytes in base64, or several with commas between',
  })
    .optional()
    .describe('Earlier keys that secrets may still be encrypted with; they only decrypt'),
};

export function readSecretKeys(config: {
  readonly SLUICE_SECRETS_KEY: string;
  readonly SLUICE_SECRETS_PREVIOUS_KEYS?: string | undefined;
}): SecretKeys {
  const previous = config.SLUICE_SECRETS_PREVIOUS_KEYS?.split(',') ?? [];
  return { current: decode(config.SLUICE_SECRETS_KEY), previous: previous.map(decode) };
}

function decode(key: string): Buffer {
  return Buffer.from(key, 'base64');
}
