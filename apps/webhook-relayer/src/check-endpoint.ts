import type { AddressPolicy } from './address-policy.js';
import { parseEndpointUrl } from './endpoint-url.js';
import type { EndpointUrl } from './endpoint-url.js';
import type { AddressCheck } from './ports.js';

export type CheckEndpoint = (url: string) => Promise<EndpointUrl>;

/**
 * Judges a URL when a customer names it, so that a mistake is known at once. The addresses behind its name are judged again at
 * every connection: they can change at any time.
 */
export function createCheckEndpoint(parts: {
  readonly policy: AddressPolicy;
  readonly addresses: AddressCheck;
}): CheckEndpoint {
  return async (text) => {
    const endpoint = parseEndpointUrl(text, parts.policy);
    if (endpoint.kind === 'refused' || (await parts.addresses.check(endpoint.url)) !== 'refused')
      return endpoint;
    return { kind: 'refused', detail: 'its host leads to an address that is private, local or reserved' };
  };
}
