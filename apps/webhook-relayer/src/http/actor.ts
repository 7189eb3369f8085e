import type { Caller } from '@sluice/service-kit/http';
import type { Actor } from '../api-ports.js';
import { DEFAULT_TENANT } from '../tenant.js';

/** A key belongs to a tenant and reaches nothing of another; one without shares the default tenant. */
export function actorOf(caller: Caller): Actor {
  return { tenantId: caller.tenant ?? DEFAULT_TENANT, by: caller.id };
}
