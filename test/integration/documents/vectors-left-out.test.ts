// @module-tag database
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { promoteVectors } from '#src/documents/promote-vectors.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import { searchVectors } from '#src/documents/search/search-vectors.ts';
import type { SearchScope } from '#src/documents/search/search-scope.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import { openServices } from '#src/open-services.ts';
import type { Database } from '#src/platform/database.ts';
import { parseConfig } from '#src/platform/config.ts';
import { openVectorStage } from '#test/support/vector-stage.ts';

const THRESHOLD = 100;
const OWN = 200;
const LIMIT = 400;
/** More than a search gathers beforehand. */
const MANY = 2_500;

const databaseUrl = process.env['TEST_DATABASE_URL'];

describe.skipIf(databaseUrl === undefined)(
  'a search among segments of the vector index (needs TEST_DATABASE_URL)',
  () => {
    it('leaves out the same documents, however many they are', async () => {
      await using stage = await openVectorStage(THRESHOLD);
      const { db, embedder } = stage.services;
      await stage.ingest(0, OWN);
      await promoteVectors(stage.services, new AbortController().signal);
      const vector = await embedder.embedQuery('subject7', () => 1, new AbortController().signal);
      const { rows } = await sql<{ workspaceId: WorkspaceId; id: number; name: string }>`
        select workspace_id as "workspaceId", id::int as id, current_database() as name
        from document order by id`.execute(db);
      const [first] = rows;
      if (!first) throw new Error('no documents');
      const ids = rows.map(({ id }) => id);
      await sql`update document set hidden = true where id = any(${ids.slice(0, 20)})`.execute(db);
      await sql`update document set status = 'deleting' where id = any(${ids.slice(20, 40)})`.execute(
        db,
      );
      await sql`delete from document_cc_pair`.execute(db);
      // Not indexed as a whole yet, as while a large document is being written.
      await sql`update document set indexed_at = null where id = any(${ids.slice(100, 105)})`.execute(
        db,
      );
      await addPair(db, first.workspaceId, 'private', ids.slice(40, 80));
      // In another pair as well, which everybody may see.
      await addPair(db, first.workspaceId, 'public', ids.slice(70, 80));
      // The planner would sort so few.
      await sql`alter database ${sql.id(first.name)} set enable_sort = off`.execute(db);
      await using services = await openServices(parseConfig(stage.settings));
      const found = async (given: Partial<SearchScope>): Promise<number[]> => {
        const { workspaceId } = first;
        const scope = {
          workspaceId,
          userId: null,
          filters: NO_FILTERS,
          conditions: [],
          includesHidden: false,
          limit: LIMIT,
          ...given,
        };
        const hits = await searchVectors(services, scope, vector, THRESHOLD + 1);
        return hits.map(({ documentId }) => Number(documentId)).toSorted((a, b) => a - b);
      };
      const stranger = randomUUID() as UserId;
      const askAll = async (): Promise<number[][]> => [
        await found({}),
        await found({ userId: stranger }),
        await found({ userId: stranger, includesHidden: true }),
      ];
      const expected = [ids.slice(40), ids.slice(70), [...ids.slice(0, 20), ...ids.slice(70)]];
      expect(await askAll()).toEqual(expected);
      await addHidden(db, first.id);
      expect(await askAll()).toEqual(expected);
    });
  },
);

async function addPair(
  db: Database,
  workspaceId: WorkspaceId,
  access: string,
  documents: readonly number[],
): Promise<void> {
  await sql`with pair as (
      insert into cc_pair (workspace_id, name, source, access_type)
      values (${workspaceId}, ${access}, 'web', ${access}) returning id
    ) insert into document_cc_pair (document_id, cc_pair_id)
      select unnest(${documents}::bigint[]), id from pair`.execute(db);
}

/** Copies of a document that are gone, and hidden ones. */
async function addHidden(db: Database, id: number): Promise<void> {
  await sql`insert into document overriding system value
    select (jsonb_populate_record(d, jsonb_build_object(
      'id', 5000000 + n, 'external_id', 'copy ' || n, 'hidden', true, 'status', case when n % 2 = 0 then 'deleting' else d.status end))).*
    from document d, generate_series(1, ${MANY}::int) n where d.id = ${id}`.execute(db);
}
