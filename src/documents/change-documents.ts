import { type RawBuilder, sql } from 'kysely';
import type { DocumentId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { mayChangeDocument, type Reader, type Writer, writerValues } from './document-access.ts';
import { type DocumentFilter, filterReader, matching } from './document-filter.ts';
import { AS_DELETING } from './drop-documents.ts';
import { retryDocuments } from './retry-documents.ts';

/** Most documents of one transaction: marking so many takes the embedded database a tenth of a second. */
export const MAX_CHANGED = 1_000;

/** Which documents a change is for: these, or those that match, the oldest first. */
export type DocumentChoice =
  | { externalIds: readonly string[] }
  | { filter: DocumentFilter; limit: number };

type Changer = Reader & Writer;

/** How many documents match, and how many of them this writer may try again and delete. */
export async function countChangeable(
  db: Database,
  changer: Changer,
  filter: DocumentFilter,
): Promise<{ documents: number; retryable: number; deletable: number }> {
  const condition = matching(await filterReader(db, changer), filter);
  const mayChange = changeableBy(changer);
  const { rows } = await sql<{ documents: number; retryable: number; deletable: number }>`
    select count(*)::int as documents,
      (count(*) filter (where d.status = 'failed' and ${mayChange}))::int as retryable,
      (count(*) filter (where d.status <> 'deleting' and ${mayChange}))::int as deletable
    from document d where ${condition}`.execute(db);
  return rows[0] ?? { documents: 0, retryable: 0, deletable: 0 };
}

/**
 * Gives failed documents all their attempts back. What has not failed, or is not the writer's to change, is left alone.
 * The caller sends their jobs.
 */
export async function retryChosen(
  db: Database,
  changer: Changer,
  choice: DocumentChoice,
): Promise<DocumentId[]> {
  return change(db, changer, choice, {
    applies: sql<boolean>`d.status = 'failed'`,
    write: retryDocuments,
  });
}

/** Takes documents out of search at once; jobs, which the caller sends, delete their rows. */
export async function deleteChosen(
  db: Database,
  changer: Changer,
  choice: DocumentChoice,
): Promise<DocumentId[]> {
  return change(db, changer, choice, {
    applies: sql<boolean>`d.status <> 'deleting'`,
    async write(trx, ids) {
      await sql`
        update document set ${AS_DELETING}
        where id = any(${ids}::bigint[])`.execute(trx);
    },
  });
}

interface Change {
  /** True for a row of `document d` that it makes sense for. */
  readonly applies: RawBuilder<boolean>;
  readonly write: (trx: DatabaseTransaction, ids: DocumentId[]) => Promise<void>;
}

async function change(
  db: Database,
  changer: Changer,
  choice: DocumentChoice,
  { applies, write }: Change,
): Promise<DocumentId[]> {
  const mayChange = changeableBy(changer);
  const reader = await filterReader(db, changer);
  const chosen =
    'externalIds' in choice
      ? sql`d.workspace_id = ${changer.workspaceId}
          and d.external_id = any(${choice.externalIds.slice(0, MAX_CHANGED)}::text[])`
      : matching(reader, choice.filter);
  const limit = 'externalIds' in choice ? MAX_CHANGED : Math.min(choice.limit, MAX_CHANGED);
  return db.transaction().execute(async (trx) => {
    const { rows: found } = await sql<{ id: DocumentId }>`
      select d.id from document d where ${chosen} and ${applies} and ${mayChange}
      order by d.id limit ${limit}`.execute(trx);
    // Locked in the order of all writers of documents. Whether the change still applies is read under the lock.
    const { rows: locked } = await sql<{ id: DocumentId }>`
      select d.id from document d
      where d.id = any(${found.map(({ id }) => id)}::bigint[]) and ${applies} and ${mayChange}
      order by d.workspace_id, d.external_id for update of d`.execute(trx);
    const ids = locked.map(({ id }) => id);
    if (ids.length > 0) await write(trx, ids);
    return ids;
  });
}

function changeableBy({ userId, role }: Changer): RawBuilder<boolean> {
  return mayChangeDocument('d', writerValues({ userId, role }));
}
