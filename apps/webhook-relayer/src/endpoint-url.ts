import type { AddressPolicy } from './address-policy.js';
import { isLiteralAddress } from './address-policy.js';

export type EndpointUrl =
  { readonly kind: 'url'; readonly url: URL } | { readonly kind: 'refused'; readonly detail: string };

/** A URL that webhooks may go to, as far as the URL itself can tell; names are looked up when a connection is made. */
export function parseEndpointUrl(text: string, policy: AddressPolicy): EndpointUrl {
  const url = URL.parse(text);
  if (url === null) return refused('it is not a URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refused('it is not an https URL');
  if (url.username !== '' || url.password !== '') return refused('it contains credentials');
  if (url.hash !== '') return refused('it has a fragment');
  if (url.protocol === 'http:' && !policy.allowsHost(url.hostname)) {
    return refused('it is not an https URL, and its host is not on the allow-list');
  }
  if (isLiteralAddress(url.hostname) && !policy.permits(url.hostname.replace(/^\[|\]$/g, ''), url.hostname)) {
    return refused('its address is private, local or reserved');
  }
  return { kind: 'url', url };
}

function refused(detail: string): EndpointUrl {
  return { kind: 'refused', detail };
}
