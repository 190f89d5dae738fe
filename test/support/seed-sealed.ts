import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { openHeaders, sealHeaders } from '#src/chat/custom-tools/custom-headers.ts';
import {
  createCredential,
  openCredential,
  readCredential,
} from '#src/connectors/administration/credentials.ts';
import type { AccountAddress } from '#src/email/accounts.ts';
import type { UserId, WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { rotateSecret } from '#src/webhooks/administration/rotate-secret.ts';
import { rereadEndpoint } from '#src/webhooks/claim-endpoint.ts';
import { insertAccount } from './email-rows.ts';
import { ownerOf } from './seed-workspace.ts';
import { insertEndpoint } from './webhook-rows.ts';

const HEADERS = [{ key: 'X-Api-Key', value: 'header-of-a-tool-0123456789' }];

/** One value in every column with sealed values; unsubscribe keys are created by the first start. */
export interface SealedThings {
  credentialId: number;
  viewer: { workspaceId: WorkspaceId; userId: UserId };
  endpointId: WebhookEndpointId;
  account: AccountAddress;
  bounceMailboxId: string;
  toolId: number;
  serverId: number;
}

export async function seedSealedThings(
  services: Services,
  workspaceId: WorkspaceId,
): Promise<SealedThings> {
  const { db } = services;
  const viewer = { workspaceId, userId: (await ownerOf(db, workspaceId)) as UserId }; // came from the database
  const credential = await createCredential(services, viewer, {
    name: null,
    source: 'tracker',
    json: { jira_api_token: 'token-of-a-tracker-0123456789' },
    adminPublic: true,
    curatorPublic: false,
  });
  const endpoint = await insertEndpoint(services, workspaceId, 'https://hooks.example/a');
  await rotateSecret(services, { workspaceId, id: endpoint.id }, { gracePeriodSeconds: 3_600 });
  return {
    credentialId: credential.id,
    viewer,
    endpointId: endpoint.id,
    account: await insertAccount(services, workspaceId),
    bounceMailboxId: await insertMailbox(services, workspaceId),
    toolId: await insertSealed(services, 'custom_tool', {
      workspace_id: workspaceId,
      name: 'shop',
      display_name: 'Shop',
      definition: '{}',
    }),
    serverId: await insertSealed(services, 'mcp_server', {
      workspace_id: workspaceId,
      name: 'shelf',
      server_url: 'https://shelf.example/mcp',
    }),
  };
}

/** The values as features read them. */
export async function readSealedThings(services: Services, things: SealedThings) {
  const { db, secrets } = services;
  const { rows } = await sql<{ tool: string; server: string; password: string; mailbox: string }>`
    select t.sealed_headers as tool, s.sealed_headers as server, a.smtp_password as password,
      b.password as mailbox
    from custom_tool t, mcp_server s, email_account a, bounce_mailbox b
    where t.id = ${things.toolId} and s.id = ${things.serverId}
      and a.id = ${things.account.id} and b.id = ${things.bounceMailboxId}`.execute(db);
  const { tool = null, server = null, password = '', mailbox = '' } = rows[0] ?? {};
  return {
    credential: openCredential(
      secrets,
      await readCredential(db, things.viewer, things.credentialId),
    ),
    endpoint: (await rereadEndpoint(services, things.endpointId))?.target.secrets,
    password: secrets.open(password, `email_account:${things.account.id}`),
    mailbox: secrets.open(mailbox, `bounce_mailbox:${things.bounceMailboxId}`),
    tool: openHeaders(secrets, `custom_tool:${things.toolId}`, tool),
    server: openHeaders(secrets, `mcp_server:${things.serverId}`, server),
  };
}

async function insertMailbox(
  { db, secrets }: Pick<Services, 'db' | 'secrets'>,
  workspaceId: WorkspaceId,
): Promise<string> {
  const id = randomUUID();
  const password = secrets.seal('password-of-a-mailbox-0123456789', `bounce_mailbox:${id}`);
  await sql`insert into bounce_mailbox (id, workspace_id, kind, host, port, use_tls, username,
      password, next_poll_at)
    values (${id}, ${workspaceId}, 'imap', 'imap.shelf.example', 993, true, 'returns', ${password},
      now() + interval '1 day')`.execute(db);
  return id;
}

async function insertSealed(
  { db, secrets }: Services,
  table: 'custom_tool' | 'mcp_server',
  columns: Record<string, string>,
): Promise<number> {
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)));
  const { rows } = await sql<{ id: number }>`
    insert into ${sql.table(table)} (${names}) values (${sql.join(Object.values(columns))})
    returning id`.execute(db);
  const id = rows[0]?.id ?? 0;
  await sql`update ${sql.table(table)}
    set sealed_headers = ${sealHeaders(secrets, `${table}:${id}`, HEADERS)} where id = ${id}`.execute(
    db,
  );
  return id;
}

/** Inserts many credentials as fast as possible. @returns their ids */
export async function insertCredentials(
  { db, secrets }: Pick<Services, 'db' | 'secrets'>,
  workspaceId: WorkspaceId,
  count: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    insert into credential (workspace_id, source, kind, secret, admin_public)
    select ${workspaceId}, 'tracker', 'tracker', '', true from generate_series(1, ${count}::int)
    returning id`.execute(db);
  const ids = rows.map(({ id }) => id);
  const sealed = ids.map((id) => secrets.seal(`secret ${id}`, `credential:${id}`));
  await sql`update credential set secret = s.sealed
    from unnest(${ids}::int[], ${sealed}::text[]) s (id, sealed)
    where credential.id = s.id`.execute(db);
  return ids;
}

/** Names (`<table>.<column>`) of all columns in the database with a value sealed by one of these keys. */
export async function columnsWithSealed(
  { db }: Pick<Services, 'db'>,
  keyIds: readonly string[],
): Promise<string[]> {
  const pattern = `v1\\.(${keyIds.join('|')})\\.[A-Za-z0-9_-]{16}\\.`;
  const { rows: columns } = await sql<{ table: string; column: string }>`
    select c.table_name as table, c.column_name as column
    from information_schema.columns c join information_schema.tables t
      on t.table_schema = c.table_schema and t.table_name = c.table_name
    where t.table_type = 'BASE TABLE'
      and c.table_schema not in ('pg_catalog', 'information_schema')
      and t.table_schema = current_schema()
    order by 1, 2`.execute(db);
  const found: string[] = [];
  for (const { table, column } of columns) {
    const { rows } = await sql`select 1 from ${sql.table(table)}
      where ${sql.ref(column)}::text ~ ${pattern} limit 1`.execute(db);
    if (rows.length > 0) found.push(`${table}.${column}`);
  }
  return found;
}
