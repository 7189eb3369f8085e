import { z } from 'zod';
import type { Headers } from './ports.js';

/** Whose data are kept apart from everyone else's. Who belongs to none shares this one. */
export const DEFAULT_TENANT = 'default';

/** A CloudEvents extension; producers of the default tenant need not set it. */
export const TENANT_HEADER = 'ce_tenantid';

export const tenantId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits, _ and -');

export type TenantHeader =
  { readonly kind: 'tenant'; readonly tenantId: string } | { readonly kind: 'malformed' };

/** The tenant of a message. One that cannot be read is nobody's: to take it for the default would show it to others. */
export function tenantOf(headers: Headers): TenantHeader {
  const found = headers[TENANT_HEADER];
  if (found === undefined) return { kind: 'tenant', tenantId: DEFAULT_TENANT };
  const parsed = tenantId.safeParse(Buffer.isBuffer(found) ? found.toString('utf8') : found);
  return parsed.success ? { kind: 'tenant', tenantId: parsed.data } : { kind: 'malformed' };
}
