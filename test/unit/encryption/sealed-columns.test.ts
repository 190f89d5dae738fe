import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SEALED_COLUMNS } from '#src/encryption/sealed-columns.ts';

const SRC = path.resolve(import.meta.dirname, '../../../src');
/** The files that seal values, with their columns. */
const SEALING_FILES: Record<string, string[]> = {
  'chat/custom-tools/custom-headers.ts': [
    'custom_tool.sealed_headers',
    'mcp_server.sealed_headers',
  ],
  'connectors/administration/credentials.ts': ['credential.secret'],
  'email/administration/change-account.ts': ['email_account.smtp_password'],
  'email/administration/change-bounce-mailbox.ts': ['bounce_mailbox.password'],
  'email/administration/create-account.ts': ['email_account.smtp_password'],
  'email/administration/create-bounce-mailbox.ts': ['bounce_mailbox.password'],
  'encryption/reseal-values.ts': [],
  'outreach/unsubscribe-keys.ts': ['unsubscribe_key.sealed_key'],
  // Seals links, with keys that no rotation removes.
  'outreach/unsubscribe-token.ts': [],
  'webhooks/administration/create-endpoint.ts': ['webhook_endpoint.secret'],
  'webhooks/administration/rotate-secret.ts': [
    'webhook_endpoint.secret',
    'webhook_endpoint.previous_secret',
  ],
};

it('every place that seals a value is known, and its column is resealed', () => {
  const sealing = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => /\.seal\(/.test(readFileSync(path.join(SRC, file), 'utf8')));
  expect(
    sealing.toSorted(),
    'A new place that seals: add its column to src/encryption/sealed-columns.ts, with an index in a migration, and to test/support/seed-sealed.ts.',
  ).toEqual(Object.keys(SEALING_FILES).toSorted());
  const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect([...new Set(Object.values(SEALING_FILES).flat())].toSorted()).toEqual(listed.toSorted());
});

it('the secret of a webhook endpoint is resealed before the previous secret, to which a rotation moves it', () => {
  const columns = SEALED_COLUMNS.filter(({ table }) => table === 'webhook_endpoint');
  expect(columns.map(({ column }) => column)).toEqual(['secret', 'previous_secret']);
});
