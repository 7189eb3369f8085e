import type { PoolClient } from '@sluice/service-kit/pg';
import type { ClaimedDelivery, Endpoint, Limits, RetryProfile } from '../delivery-ports.js';
import type { SignatureForm } from '../sign-request.js';
import { loadSql } from './sql.js';

interface EndpointRow {
  id: string;
  url: string;
  custom_headers: Record<string, string>;
  signature_form: SignatureForm;
  retry_profile: RetryProfile;
  max_concurrency: number | null;
  rate_limit_per_second: number | null;
  sealed_secrets: Buffer[];
}

export interface LimitColumns {
  readonly max_concurrency: number | null;
  readonly rate_limit_per_second: number | null;
}

/** What a subscription sets, and for the rest what the service is configured with. */
export function limitsOf(row: LimitColumns, defaults: Limits): Limits {
  return {
    maxConcurrency: row.max_concurrency ?? defaults.maxConcurrency,
    ratePerSecond: row.rate_limit_per_second ?? defaults.ratePerSecond,
  };
}

type Claim<T> = T & Pick<ClaimedDelivery, 'endpoint'>;

/** Adds to leased deliveries where they go, read once for each subscription and as it is now. */
export function createEndpointReader(defaults: Limits) {
  const text = loadSql('find_endpoints');
  return async <T>(
    client: Pick<PoolClient, 'query'>,
    rows: readonly T[],
    subscriptionOf: (row: T) => string,
  ): Promise<Claim<T>[]> => {
    if (rows.length === 0) return [];
    const ids = [...new Set(rows.map(subscriptionOf))];
    const found = await client.query<EndpointRow>({ name: 'find_endpoints', text, values: [ids] });
    const endpoints = new Map(found.rows.map((row) => [row.id, toEndpoint(row, defaults)]));
    return rows.flatMap((row) => {
      const endpoint = endpoints.get(subscriptionOf(row));
      // Subscriptions are never removed, so each of them is there.
      return endpoint === undefined ? [] : [{ ...row, endpoint }];
    });
  };
}

function toEndpoint(row: EndpointRow, defaults: Limits): Endpoint {
  return {
    subscriptionId: row.id,
    url: row.url,
    customHeaders: row.custom_headers,
    signatureForm: row.signature_form,
    retryProfile: row.retry_profile,
    sealedSecrets: row.sealed_secrets,
    limits: limitsOf(row, defaults),
  };
}
