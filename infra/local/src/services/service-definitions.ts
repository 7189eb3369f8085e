import { randomBytes } from 'node:crypto';
import { createLocalKey, type LocalKey } from './api-keys.js';

/** One service as the local stack starts it: its folder and the variables that it alone is given. */
export interface ServiceDefinition {
  readonly name: string;
  readonly url: string;
  readonly opsUrl: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface ServiceInputs {
  readonly addresses: {
    readonly pgUrl: string;
    readonly kafkaBrokers: string;
    readonly temporalAddress: string;
    readonly redisUrl: string;
  };
  readonly ports: Readonly<Record<string, { readonly http: number; readonly ops: number }>>;
  readonly railUrl: string;
  /** Holds every scope: the operator of the local stack, who also sends the demonstration. */
  readonly operator: LocalKey;
}

export const operatorScopes = [
  'payments:write',
  'payments:read',
  'limits:read',
  'limits:admin',
  'dispatch:read',
  'dispatch:admin',
  'outbox:read',
  'outbox:admin',
  'rails:notify',
  'slots:write',
  'slots:read',
  'rate-limit:read',
  'rate-limit:admin',
  'events:write',
  'events:read',
  'subscriptions:write',
  'subscriptions:read',
] as const;

/** The five services with the variables of each, for one stack. */
export function serviceDefinitions(inputs: ServiceInputs): ServiceDefinition[] {
  const { addresses, railUrl, operator } = inputs;
  const postgres = { PG_URL: addresses.pgUrl };
  const temporal = { TEMPORAL_ADDRESS: addresses.temporalAddress };
  // It asks for slots, and for what the others know of a payment.
  const ingestKey = createLocalKey('ingest', ['slots:write', 'dispatch:read', 'outbox:read', 'events:read']);
  const keys = [operator, ingestKey];
  const urlOf = (name: string): string => `http://127.0.0.1:${portsOf(inputs, name).http}`;
  const define = (name: string, variables: Record<string, string>): ServiceDefinition => {
    const { http, ops } = portsOf(inputs, name);
    return {
      name,
      url: urlOf(name),
      opsUrl: `http://127.0.0.1:${ops}`,
      environment: {
        SLUICE_ENV: 'production',
        SLUICE_HTTP_HOST: '127.0.0.1',
        SLUICE_HTTP_PORT: String(http),
        SLUICE_OPS_PORT: String(ops),
        SLUICE_DRAIN_SECONDS: '10',
        SLUICE_API_KEYS: JSON.stringify(keys.map(({ entry }) => entry)),
        ...variables,
      },
    };
  };
  return [
    define('slot-assigner', postgres),
    define('ingest', {
      ...postgres,
      ...temporal,
      KAFKA_BROKERS: addresses.kafkaBrokers,
      SLUICE_SLOT_ASSIGNER_URL: urlOf('slot-assigner'),
      SLUICE_SLOT_ASSIGNER_KEY: ingestKey.key,
      SLUICE_DISPATCHER_URL: urlOf('dispatcher'),
      SLUICE_DISPATCHER_KEY: ingestKey.key,
      SLUICE_EXEC_WORKER_URL: urlOf('exec-worker'),
      SLUICE_EXEC_WORKER_KEY: ingestKey.key,
      SLUICE_WEBHOOK_RELAYER_URL: urlOf('webhook-relayer'),
      SLUICE_WEBHOOK_RELAYER_KEY: ingestKey.key,
    }),
    define('dispatcher', { ...postgres, ...temporal }),
    define('exec-worker', { ...postgres, ...temporal, SLUICE_RAIL_URL: railUrl }),
    define('webhook-relayer', {
      ...postgres,
      KAFKA_BROKERS: addresses.kafkaBrokers,
      REDIS_URL: addresses.redisUrl,
      SLUICE_SECRETS_KEY: randomBytes(32).toString('base64'),
      // The sink listens on this machine, which a webhook may not reach unless it is allowed by name.
      SLUICE_ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
    }),
  ];
}

function portsOf({ ports }: ServiceInputs, name: string): { http: number; ops: number } {
  const found = ports[name];
  if (found === undefined) throw new Error(`the port table has no entry for the service ${name}`);
  return found;
}
