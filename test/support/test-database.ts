import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Creates a database on the server, a copy of `template` (empty when null), which `opened` drops. */
export async function createTestDatabase(
  serverUrl: string,
  opened: AsyncDisposableStack,
  template: string | null,
): Promise<{ name: string; url: string }> {
  const name = `millrace_test_${randomBytes(6).toString('hex')}`;
  const from = template === null ? '' : ` template ${template}`;
  await onServer(serverUrl, `create database ${name}${from}`);
  opened.defer(() => onServer(serverUrl, `drop database if exists ${name} with (force)`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { name, url: url.href };
}

async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
