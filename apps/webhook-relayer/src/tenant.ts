/** All data carries its tenant. Until callers are tied to tenants, there is this one. */
export const DEFAULT_TENANT = 'default';
