import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { Role } from '#src/tables.ts';
import { seedConnectors } from './seed-connectors.ts';
import type { TestMillrace } from './test-millrace.ts';

/** A workspace with one of everything, and what would give it away in an answer to somebody else. */
export interface SeededWorkspace {
  workspaceId: string;
  adminKey: string;
  /** A word that stands in its documents, names and messages, and nowhere else. */
  marker: string;
  documentIds: string[];
  apiKeyId: string;
  pairId: number;
  documentSet: string;
  documentSetId: number;
  /** Of the kind `file`, with `storedFileId`; not linked. */
  fileConnectorId: number;
  storedFileId: string;
  /** Linked to `credentialId` as `linkedPairId`, which has a run, an error and a prune that waits for confirmation. */
  connectorId: number;
  credentialId: number;
  linkedPairId: number;
  attemptId: number;
  pruneId: number;
  chatSessionId: string;
  messageId: number;
  /** Ids that no other workspace may be told. */
  secretIds: string[];
}

export const SHARED_DOCUMENT = 'shared-id';

export async function seedWorkspace(
  millrace: TestMillrace,
  marker: string,
): Promise<SeededWorkspace> {
  const { workspaceId, key } = await millrace.createWorkspace();
  const { db } = millrace.services;
  const pairId = await insertPair(
    db,
    workspaceId,
    `Pair ${marker}`,
    await ownerOf(db, workspaceId),
  );
  const documentSet = `Set ${marker}`;
  const documentSetId = await insertDocumentSet(db, workspaceId, documentSet, pairId);
  const connectors = await seedConnectors(millrace, { workspaceId, key, marker });
  // Not the marker: others may name the ids, and then have documents of their own under them.
  const documentIds = [SHARED_DOCUMENT, `own-${pairId}`];
  for (const id of documentIds) {
    await millrace.call(
      'POST',
      '/service-api/ingestion',
      {
        document: {
          id,
          semantic_identifier: `Title ${marker}`,
          sections: [
            { text: `The harbour of ${marker} is deep.`, link: `https://${marker}.test/` },
          ],
          metadata: { place: marker },
        },
        cc_pair_id: pairId,
      },
      { key },
    );
  }
  const apiKeyId = await createKey(millrace, key, 'read', `Key ${marker}`);
  await millrace.settled(key);
  const chat = await millrace.call(
    'POST',
    '/chat/send-chat-message',
    { message: `How deep is the harbour of ${marker}?`, stream: false },
    { key },
  );
  return {
    workspaceId,
    adminKey: key,
    marker,
    documentIds,
    apiKeyId: apiKeyId.id,
    pairId,
    documentSet,
    documentSetId,
    ...connectors,
    chatSessionId: chat.body.chat_session_id,
    messageId: chat.body.message_id,
    secretIds: [workspaceId, apiKeyId.id, chat.body.chat_session_id, connectors.storedFileId],
  };
}

export async function createKey(
  { call }: Pick<TestMillrace, 'call'>,
  adminKey: string,
  role: Role,
  name: string = role,
): Promise<{ id: string; key: string }> {
  const { body } = await call('POST', '/account/api-keys', { name, role }, { key: adminKey });
  return { id: body.id, key: body.key };
}

export async function ownerOf(db: Database, workspaceId: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select id from user_account where workspace_id = ${workspaceId}`.execute(db);
  return rows[0]?.id ?? '';
}

/** A second user account of a workspace. */
export async function insertUser(db: Database, workspaceId: string): Promise<string> {
  const id = randomUUID();
  await sql`insert into user_account (id, workspace_id, display_name)
    values (${id}, ${workspaceId}, 'Colleague')`.execute(db);
  return id;
}

export async function insertPair(
  db: Database,
  workspaceId: string,
  name: string,
  userId: string,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into cc_pair (workspace_id, name, source, created_by)
    values (${workspaceId}, ${name}, 'web', ${userId}) returning id`.execute(db);
  return rows[0]?.id ?? 0;
}

async function insertDocumentSet(
  db: Database,
  workspaceId: string,
  name: string,
  pairId: number,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`with made as (
      insert into document_set (workspace_id, name) values (${workspaceId}, ${name}) returning id)
    insert into document_set_cc_pair (document_set_id, cc_pair_id)
    select id, ${pairId} from made returning document_set_id as id`.execute(db);
  return rows[0]?.id ?? 0;
}

/**
 * Every row of a workspace as JSON text, by table: all tables that have a `workspace_id`, the join
 * tables, and term counts as sums, since folding moves them from one table to the other.
 */
export async function dumpWorkspace(
  db: Database,
  workspaceId: string,
): Promise<Record<string, string[]>> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'workspace_id'
      and table_name not in ('term_count', 'term_delta') order by 1`.execute(db);
  const selections: [string, ReturnType<typeof sql<{ row: string }>>][] = [
    ...tables.map(({ name }): [string, ReturnType<typeof sql<{ row: string }>>] => [
      name,
      sql`select to_jsonb(t)::text as row from ${sql.table(name)} t
        where workspace_id = ${workspaceId} order by 1`,
    ]),
    ['workspace', sql`select to_jsonb(t)::text as row from workspace t where id = ${workspaceId}`],
    [
      'document_cc_pair',
      sql`select to_jsonb(t)::text as row from document_cc_pair t
        where cc_pair_id in (select id from cc_pair where workspace_id = ${workspaceId})
          or document_id in (select id from document where workspace_id = ${workspaceId}) order by 1`,
    ],
    ...['connector_memory', 'document_set_cc_pair'].map(
      (name): [string, ReturnType<typeof sql<{ row: string }>>] => [
        name,
        sql`select to_jsonb(t)::text as row from ${sql.table(name)} t
          where cc_pair_id in (select id from cc_pair where workspace_id = ${workspaceId}) order by 1`,
      ],
    ),
    [
      'prune_listing',
      sql`select to_jsonb(t)::text as row from prune_listing t where prune_attempt_id in
        (select id from prune_attempt where workspace_id = ${workspaceId}) order by 1`,
    ],
    [
      'stored_file_part',
      sql`select to_jsonb(t)::text as row from stored_file_part t where stored_file_id in
        (select id from stored_file where workspace_id = ${workspaceId}) order by 1`,
    ],
    [
      'terms',
      sql`select concat(term, ' ', sum(n)) as row from (
          select term, chunks as n from term_count where workspace_id = ${workspaceId}
          union all select term, delta from term_delta where workspace_id = ${workspaceId}) counted
        group by term order by term`,
    ],
  ];
  const dumped: Record<string, string[]> = {};
  for (const [name, selection] of selections) {
    dumped[name] = (await selection.execute(db)).rows.map(({ row }) => row);
  }
  return dumped;
}
