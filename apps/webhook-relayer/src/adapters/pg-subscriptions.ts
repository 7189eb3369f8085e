import type {
  SecretVersion,
  SubscriptionSettings,
  SubscriptionStatus,
  SubscriptionStore,
  SubscriptionView,
} from '../api-ports.js';
import type { RetryProfile } from '../delivery-ports.js';
import type { SignatureForm } from '../sign-request.js';
import type { Database } from './database.js';
import { loadSql } from './sql.js';

export function createPgSubscriptions(database: Database): SubscriptionStore {
  return { ...createWrites(database), ...createReads(database), ...createSecretWrites(database) };
}

type Reads = Pick<SubscriptionStore, 'find' | 'list' | 'secretVersions'>;
type SecretWrites = Pick<SubscriptionStore, 'rotateSecret'>;

function createReads(database: Database): Reads {
  const sql = {
    find: loadSql('find_subscription'),
    list: loadSql('list_subscriptions'),
    secretVersions: loadSql('list_secret_versions'),
  };
  return {
    async find(tenantId, id) {
      const rows = await database.query<SubscriptionRow>(sql.find, [tenantId, id]);
      return rows.map(toView)[0];
    },
    async list(tenantId, { after, limit }) {
      const rows = await database.query<SubscriptionRow>(sql.list, [tenantId, after, limit]);
      return rows.map(toView);
    },
    async secretVersions(subscriptionId) {
      const rows = await database.query<SecretRow>(sql.secretVersions, [subscriptionId]);
      return rows.map(toSecretVersion);
    },
  };
}

function createWrites(database: Database): Omit<SubscriptionStore, keyof Reads | keyof SecretWrites> {
  const sql = {
    insert: loadSql('insert_subscription'),
    update: loadSql('update_subscription'),
    changeStatus: loadSql('change_subscription_status'),
    remove: loadSql('delete_subscription'),
  };
  return {
    async create({ tenantId, by }, { id, sealedSecret, ...settings }) {
      const values = [id, tenantId, ...settingValues(settings), sealedSecret, by];
      const rows = await database.query<SubscriptionRow>(sql.insert, values);
      const [row] = rows;
      if (row === undefined) throw new Error('the insert of a subscription answered no row');
      return toView(row);
    },
    async update({ tenantId, by }, { id, version, settings }) {
      const values = [tenantId, id, version, ...settingValues(settings), by];
      const rows = await database.query<SubscriptionRow>(sql.update, values);
      return rows.map(toView)[0];
    },
    async changeStatus({ tenantId, by }, id, { from, to, reason }) {
      const rows = await database.query<SubscriptionRow>(sql.changeStatus, [
        tenantId,
        id,
        from,
        to,
        reason,
        by,
      ]);
      return rows.map(toView)[0];
    },
    async remove({ tenantId, by }, id) {
      const removed = await database.query(sql.remove, [tenantId, id, by]);
      return removed.length === 1;
    },
  };
}

function createSecretWrites(database: Database): SecretWrites {
  const sql = {
    lock: loadSql('lock_subscription'),
    rotate: loadSql('rotate_secret'),
    secretVersions: loadSql('list_secret_versions'),
  };
  return {
    rotateSecret: ({ tenantId, by }, { id, sealedSecret, overlapSeconds }) =>
      // Two statements: the second must see what the holder of the lock before us wrote.
      database.transaction(async (queries) => {
        const held = await queries.query(sql.lock, [tenantId, id]);
        if (held.length === 0) return undefined;
        await queries.query(sql.rotate, [tenantId, id, sealedSecret, overlapSeconds, by]);
        const rows = await queries.query<SecretRow>(sql.secretVersions, [id]);
        return rows.map(toSecretVersion);
      }),
  };
}

/** In the order in which the statements take them. */
function settingValues(settings: SubscriptionSettings): unknown[] {
  return [
    settings.url,
    settings.eventTypes,
    settings.description,
    JSON.stringify(settings.headers),
    settings.signatureForm,
    settings.retryProfile,
    settings.rateLimitPerSecond,
    settings.maxConcurrency,
  ];
}

interface SubscriptionRow {
  id: string;
  url: string;
  event_types: string[];
  description: string | null;
  custom_headers: Record<string, string>;
  signature_form: SignatureForm;
  retry_profile: RetryProfile;
  rate_limit_per_second: number | null;
  max_concurrency: number | null;
  status: SubscriptionStatus;
  status_reason: string | null;
  status_since: Date;
  version: number;
  created_at: Date;
  updated_at: Date;
}

function toView(row: SubscriptionRow): SubscriptionView {
  return {
    id: row.id,
    url: row.url,
    eventTypes: row.event_types,
    description: row.description,
    headers: row.custom_headers,
    signatureForm: row.signature_form,
    retryProfile: row.retry_profile,
    rateLimitPerSecond: row.rate_limit_per_second,
    maxConcurrency: row.max_concurrency,
    status: row.status,
    statusReason: row.status_reason,
    statusSince: row.status_since,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

interface SecretRow {
  version: number;
  created_at: Date;
  expires_at: Date | null;
}

function toSecretVersion(row: SecretRow): SecretVersion {
  return { version: row.version, createdAt: row.created_at, expiresAt: row.expires_at };
}
