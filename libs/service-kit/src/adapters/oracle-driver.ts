import { createRequire } from 'node:module';
import { MigrationError } from '../migrate/migration-error.js';

/** What the kit uses of a connection of `oracledb`, which brings no types of its own. */
export interface OracleConnection {
  callTimeout: number;
  execute(
    sql: string,
    binds: Readonly<Record<string, string | number>>,
    // To leave the options out by `undefined` is an error of the driver (NJS-005).
    options: { readonly outFormat?: number; readonly autoCommit?: boolean },
  ): Promise<{ readonly rows?: readonly unknown[]; readonly warning?: Error }>;
  ping(): Promise<void>;
  rollback(): Promise<void>;
  close(): Promise<void>;
}

export interface OracleDriver {
  readonly OUT_FORMAT_OBJECT: number;
  getConnection(attributes: {
    readonly user: string;
    readonly password: string;
    readonly connectString: string;
    readonly connectTimeout: number;
    readonly transportConnectTimeout: number;
  }): Promise<OracleConnection>;
}

/** The driver is an optional peer: only those who have an Oracle database install it. */
export function loadOracleDriver(): OracleDriver {
  try {
    return createRequire(__filename)('oracledb') as OracleDriver;
  } catch (cause) {
    const message = 'ORACLE_URL is set, but the package "oracledb" is not installed; install version 26';
    throw new MigrationError('MIGRATION_FILES', message, { cause });
  }
}

/** `oracle://user:password@host:port/service` in the driver's words. */
export function oracleAttributes(url: string): Parameters<OracleDriver['getConnection']>[0] {
  const { username, password, host, pathname } = new URL(url);
  return {
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    connectString: `${host}${pathname}`,
    connectTimeout: 10,
    transportConnectTimeout: 5,
  };
}

/** `ORA-00942` and the like; errors of the driver itself begin with NJS. */
export function oracleCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
