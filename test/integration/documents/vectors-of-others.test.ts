// @module-tag database
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { promoteVectors } from '#src/documents/promote-vectors.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import { searchVectors } from '#src/documents/search/search-vectors.ts';
import { openServices } from '#src/open-services.ts';
import { parseConfig } from '#src/platform/config.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { openVectorStage } from '#test/support/vector-stage.ts';

const THRESHOLD = 100;
const LIMIT = 120;
/** More than the scan of an index takes at first. */
const OF_OTHERS = 600;
const OWN = 300;
const OTHER = randomUUID() as WorkspaceId;

const databaseUrl = process.env['TEST_DATABASE_URL'];

describe.skipIf(databaseUrl === undefined)(
  'a scan of the vector index that meets vectors of others (needs TEST_DATABASE_URL)',
  () => {
    it('is not the last word', async () => {
      await using stage = await openVectorStage(THRESHOLD);
      const { db, embedder, config } = stage.services;
      await stage.ingest(0, OWN);
      const vector = await embedder.embedQuery('subject7', () => 1, new AbortController().signal);
      // All nearer to the query than any of the workspace's own.
      await sql`insert into chunk_vector (chunk_id, workspace_id, document_id, bits)
        select 1000000 + n, ${OTHER}, 0, ${bitsOf(vector)}::varbit from generate_series(1, ${OF_OTHERS}::int) n`.execute(
        db,
      );
      const { rows } = await sql<{ workspaceId: WorkspaceId; name: string }>`
        select workspace_id as "workspaceId", current_database() as name
        from chunk_vector where workspace_id <> ${OTHER} limit 1`.execute(db);
      const [own] = rows;
      if (!own) throw new Error('no vectors');
      await promoteVectors(stage.services, new AbortController().signal);
      await sql`update chunk_vector set promoted = true, segment = 1 where not promoted`.execute(
        db,
      );
      // The planner would sort so few. The scan gives up after its first pass.
      for (const setting of ['enable_sort = off', 'hnsw.max_scan_tuples = 1']) {
        await sql`alter database ${sql.id(own.name)} set ${sql.raw(setting)}`.execute(db);
      }
      await using services = await openServices(parseConfig(stage.settings));
      const scope = {
        workspaceId: own.workspaceId,
        userId: null,
        filters: NO_FILTERS,
        conditions: [],
        includesHidden: false,
        limit: LIMIT,
      };
      const found = await searchVectors(services, scope, vector, OWN);
      const scanned = await searchVectors(services, scope, vector, config.VECTOR_PROMOTE_THRESHOLD);
      expect(scanned).toHaveLength(LIMIT);
      expect(found).toEqual(scanned);
    });
  },
);

function bitsOf(vector: Float32Array): string {
  return Array.from(vector, (value) => (value > 0 ? '1' : '0')).join('');
}
