import { Client } from 'pg';

const answersWithinMs = 30_000;

/** Runs one statement on the server; it must not stand in a transaction, as CREATE DATABASE may not. */
async function onServer(url: string, statement: string): Promise<void> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: answersWithinMs,
    query_timeout: answersWithinMs,
    application_name: 'sluice-tests',
  });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export async function createDatabase(url: string, name: string, template?: string): Promise<void> {
  const from = template === undefined ? '' : ` TEMPLATE ${quoted(template)}`;
  await onServer(url, `CREATE DATABASE ${quoted(name)}${from}`);
}

/** Drops it even while something is still connected to it: the file that used it has ended. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await onServer(url, `DROP DATABASE IF EXISTS ${quoted(name)} WITH (FORCE)`);
}

export function urlOfDatabase(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
