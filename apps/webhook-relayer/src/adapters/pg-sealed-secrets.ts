import type { SealedSecrets } from '../reseal-secrets.js';
import type { Database } from './database.js';
import { loadSql } from './sql.js';

interface SecretRow {
  subscription_id: string;
  version: number;
  sealed_secret: Buffer;
}

export function createPgSealedSecrets(database: Database): SealedSecrets {
  const sql = {
    list: loadSql('list_sealed_secrets'),
    replace: loadSql('replace_sealed_secret'),
    wipe: loadSql('wipe_expired_secrets'),
  };
  return {
    async list({ subscriptionId, version }, limit) {
      const rows = await database.query<SecretRow>(sql.list, [subscriptionId, version, limit]);
      return rows.map((row) => ({
        subscriptionId: row.subscription_id,
        version: row.version,
        sealed: row.sealed_secret,
      }));
    },
    async replace({ subscriptionId, version, sealed: before }, sealed) {
      const rows = await database.query(sql.replace, [subscriptionId, version, before, sealed]);
      return rows.length === 1;
    },
    async wipeExpired() {
      return (await database.query(sql.wipe, [])).length;
    },
  };
}
