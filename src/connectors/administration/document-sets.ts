import { sql } from 'kysely';
import type { CcPairId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { isDuplicate } from './violated-rule.ts';

export interface DocumentSetPair {
  id: CcPairId;
  name: string;
  source: string;
  access_type: string;
}

/** A named group of pairs. Membership changes take effect at once, because searches look it up. */
export interface DocumentSet {
  id: number;
  name: string;
  description: string;
  pairs: DocumentSetPair[];
}

export interface DocumentSetContent {
  name: string;
  description: string;
  ccPairIds: readonly number[];
}

export async function listDocumentSets(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<DocumentSet[]> {
  const sets = await db
    .selectFrom('document_set')
    .select(['id', 'name', 'description'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .execute();
  const { rows: members } = await sql<DocumentSetPair & { document_set_id: number }>`
    select m.document_set_id, p.id, p.name, p.source, p.access_type
    from document_set s
    join document_set_cc_pair m on m.document_set_id = s.id
    join cc_pair p on p.id = m.cc_pair_id
    where s.workspace_id = ${workspaceId} order by p.id`.execute(db);
  const pairsOf = Map.groupBy(members, ({ document_set_id }) => document_set_id);
  return sets.map((set) => ({
    ...set,
    pairs: (pairsOf.get(set.id) ?? []).map(({ document_set_id: _, ...pair }) => pair),
  }));
}

export async function nameDocumentSets(
  db: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
): Promise<Pick<DocumentSet, 'id' | 'name'>[]> {
  return db
    .selectFrom('document_set')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspaceId)
    .execute();
}

/** @throws Problem BAD_REQUEST for a name that is taken or a pair that does not exist */
export async function createDocumentSet(
  db: Database,
  workspaceId: WorkspaceId,
  content: DocumentSetContent,
): Promise<number> {
  return withUniqueName(() =>
    db.transaction().execute(async (trx) => {
      const { name, description, ccPairIds } = content;
      const { id } = await trx
        .insertInto('document_set')
        .values({ workspace_id: workspaceId, name, description })
        .returning('id')
        .executeTakeFirstOrThrow();
      await attachPairs(trx, workspaceId, id, ccPairIds);
      return id;
    }),
  );
}

/**
 * Replaces the pairs, and the name and description if given.
 * @throws Problem NOT_FOUND, BAD_REQUEST for a name that is taken or a pair that does not exist
 */
export async function updateDocumentSet(
  db: Database,
  { workspaceId, id }: { workspaceId: WorkspaceId; id: number },
  change: { name: string | null; description: string | null; ccPairIds: readonly number[] },
): Promise<void> {
  await withUniqueName(() =>
    db.transaction().execute(async (trx) => {
      const { rows } = await sql`
        update document_set set name = coalesce(${change.name}, name),
          description = coalesce(${change.description}, description)
        where workspace_id = ${workspaceId} and id = ${id} returning id`.execute(trx);
      if (rows.length === 0) throw unknownSet(id);
      await trx.deleteFrom('document_set_cc_pair').where('document_set_id', '=', id).execute();
      await attachPairs(trx, workspaceId, id, change.ccPairIds);
    }),
  );
}

/**
 * The pairs and their documents stay.
 * @throws Problem NOT_FOUND
 */
export async function deleteDocumentSet(
  db: Database,
  { workspaceId, id }: { workspaceId: WorkspaceId; id: number },
): Promise<void> {
  const deleted = await db
    .deleteFrom('document_set')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  if (!deleted) throw unknownSet(id);
}

async function attachPairs(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  setId: number,
  ccPairIds: readonly number[],
): Promise<void> {
  const { rows } = await sql<{ id: CcPairId }>`
    select id from cc_pair where workspace_id = ${workspaceId} and id = any(${ccPairIds}::int[])
    for key share`.execute(trx);
  const known = new Set<number>(rows.map(({ id }) => id));
  const missing = ccPairIds.findIndex((id) => !known.has(id));
  if (missing !== -1) {
    throw new Problem(
      'BAD_REQUEST',
      `body.cc_pair_ids[${missing}]: there is no pair ${ccPairIds[missing]}. GET /manage/admin/cc-pair lists the pairs.`,
    );
  }
  await sql`insert into document_set_cc_pair (document_set_id, cc_pair_id)
    select ${setId}::int, id from unnest(${[...known]}::int[]) as id`.execute(trx);
}

async function withUniqueName<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new Problem(
      'BAD_REQUEST',
      'body.name: a document set by this name already exists. Send another name.',
      { cause: error },
    );
  }
}

function unknownSet(id: number): Problem {
  return new Problem(
    'NOT_FOUND',
    `There is no document set ${id}. GET /manage/document-set lists them.`,
  );
}
