import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { TestMillrace } from './test-millrace.ts';

/** One of everything that connector administration shows. Nothing is due, so no run changes it. */
export interface SeededConnectors {
  /** Of the kind `file`, with `storedFileId`; not linked. */
  fileConnectorId: number;
  storedFileId: string;
  /** Linked to `credentialId` as `linkedPairId`, which has a run, an error and a prune awaiting confirmation. */
  connectorId: number;
  credentialId: number;
  linkedPairId: number;
  attemptId: number;
  pruneId: number;
}

interface Owner {
  workspaceId: string;
  key: string;
  /** Appears in every name. */
  marker: string;
}

export async function seedConnectors(
  millrace: TestMillrace,
  owner: Owner,
): Promise<SeededConnectors> {
  const { key, marker } = owner;
  const storedFileId = await storeFile(millrace, owner);
  const create = async (path: string, body: object): Promise<number> => {
    const answer = await millrace.call('POST', path, body, { key });
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.text}`);
    return answer.body.id;
  };
  const fileConnectorId = await create('/manage/admin/connector', {
    name: `Files ${marker}`,
    source: 'file',
    input_type: 'load_state',
    access_type: 'public',
    connector_specific_config: { file_locations: [storedFileId], file_names: [`${marker}.txt`] },
  });
  const connectorId = await create('/manage/admin/connector', {
    name: `Issues ${marker}`,
    source: 'tracker',
    input_type: 'poll',
    access_type: 'private',
    connector_specific_config: { tracker_base_url: `https://${marker}.test` },
  });
  const credentialId = await create('/manage/credential', {
    name: `Token ${marker}`,
    source: 'tracker',
    admin_public: true,
    credential_json: { jira_user_email: `bot@${marker}.test`, jira_api_token: `token-${marker}` },
  });
  const ids = { connectorId, credentialId };
  const linked = await insertLinkedPair(millrace.services.db, owner, ids);
  await keepInDatabase(millrace.services.db, owner);
  return { fileConnectorId, storedFileId, ...ids, ...linked };
}

async function storeFile({ services }: TestMillrace, owner: Owner): Promise<string> {
  const { id } = await services.files.save(
    {
      workspaceId: owner.workspaceId as WorkspaceId, // came from the API
      createdBy: null,
      name: `${owner.marker}.txt`,
      mediaType: 'text/plain',
    },
    Readable.from([Buffer.from(`The harbour of ${owner.marker}.`)]),
  );
  return id;
}

/** A file in the database, the only location that earlier versions had. */
async function keepInDatabase(db: Database, { workspaceId, marker }: Owner): Promise<void> {
  await sql`with stored as (
      insert into stored_file (id, workspace_id, name, media_type, byte_count, location)
      values (${randomUUID()}, ${workspaceId}, ${`old-${marker}.txt`}, 'text/plain', 3, 'database')
      returning id)
    insert into stored_file_part (stored_file_id, part, content)
    select id, 0, 'old'::bytea from stored`.execute(db);
}

async function insertLinkedPair(
  db: Database,
  { workspaceId, marker }: Owner,
  { connectorId, credentialId }: { connectorId: number; credentialId: number },
): Promise<Pick<SeededConnectors, 'linkedPairId' | 'attemptId' | 'pruneId'>> {
  const insert = async (statement: ReturnType<typeof sql<{ id: number }>>): Promise<number> =>
    (await statement.execute(db)).rows[0]?.id ?? 0;
  const linkedPairId = await insert(sql`
    insert into cc_pair (workspace_id, name, source, connector_id, credential_id, status,
      last_success_at)
    values (${workspaceId}, ${`Linked ${marker}`}, 'tracker', ${connectorId}, ${credentialId},
      'ACTIVE', now()) returning id`);
  const attemptId = await insert(sql`
    insert into index_attempt (workspace_id, cc_pair_id, status, poll_range_end, settings_hash,
      fetched, failed, error, started_at, finished_at)
    values (${workspaceId}, ${linkedPairId}, 'completed_with_errors', now(), '', 1, 1, ${marker},
      now(), now()) returning id`);
  await insert(sql`
    insert into index_attempt_error (workspace_id, cc_pair_id, index_attempt_id, stage,
      document_id, message)
    values (${workspaceId}, ${linkedPairId}, ${attemptId}, 'fetch', ${`lost-${marker}`},
      ${`${marker} is broken`}) returning id`);
  const pruneId = await insert(sql`
    insert into prune_attempt (workspace_id, cc_pair_id, status, known, gone, error)
    values (${workspaceId}, ${linkedPairId}, 'needs_confirmation', 3, 2, ${marker}) returning id`);
  await sql`insert into prune_listing (prune_attempt_id, document_id)
    values (${pruneId}, ${marker})`.execute(db);
  await sql`insert into connector_memory (cc_pair_id, key, value)
    values (${linkedPairId}, ${marker}, '{}')`.execute(db);
  return { linkedPairId, attemptId, pruneId };
}
