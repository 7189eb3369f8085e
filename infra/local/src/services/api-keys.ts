import { createApiKey } from '@sluice/service-kit/http';

/** A key as its holder knows it, and the entry that a service stores of it. */
export interface LocalKey {
  readonly key: string;
  readonly entry: { readonly id: string; readonly sha256: string; readonly scopes: readonly string[] };
}

/** Makes a fresh key for one holder. Keys of a local stack live as long as the stack. */
export function createLocalKey(id: string, scopes: readonly string[]): LocalKey {
  const { key, entry } = createApiKey(id);
  return { key, entry: { ...entry, scopes } };
}
