import { z } from 'zod';

// What the request means and how it is framed is ours to say; hop-by-hop headers would change the connection itself.
const RESERVED =
  /^(?:host|content-.*|transfer-encoding|connection|keep-alive|proxy-.*|te|trailer|upgrade|expect|accept-encoding|user-agent|date|via|forwarded|x-forwarded-.*|x-signature.*|webhook-.*|cookie|:.*)$/;
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const VALUE = /^[\x20-\x7e]{0,1024}$/;

function isReserved(name: string): boolean {
  return RESERVED.test(name.toLowerCase());
}

/** Headers that a customer wants on its webhooks, by their names in small letters: an access token, for instance. */
export const customerHeaders = z
  .record(
    z
      .string()
      .toLowerCase()
      .regex(NAME, 'expected a header name of at most 64 characters')
      .refine((name) => !isReserved(name), 'expected a name other than those of the request itself'),
    z.string().regex(VALUE, 'expected at most 1024 printable ASCII characters'),
  )
  .refine((headers) => Object.keys(headers).length <= 20, 'expected at most 20 headers');

/**
 * Once more at the request itself: what is stored may be older than the list of reserved names.
 */
export function withoutReserved(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => NAME.test(name) && !isReserved(name) && VALUE.test(value),
    ),
  );
}
