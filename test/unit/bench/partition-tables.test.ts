import { describe, expect, it } from 'vitest';
import { indexOn } from '#bench/partition-tables.ts';

const PRIMARY =
  'CREATE UNIQUE INDEX chunk_planes_pkey ON public.chunk_planes USING btree (chunk_id)';
const place = { schema: 'copy', table: 'chunk_planes', isPartitioned: true };

describe('an index on the copy of a table', () => {
  it('is the same in another schema', () => {
    expect(indexOn(PRIMARY, { ...place, isPartitioned: false })).toBe(
      'CREATE UNIQUE INDEX chunk_planes_pkey ON copy.chunk_planes USING btree (chunk_id)',
    );
  });

  it('has the column that parts the table, where it is unique', () => {
    expect(indexOn(PRIMARY, place)).toBe(
      'CREATE UNIQUE INDEX chunk_planes_pkey ON copy.chunk_planes USING btree (chunk_id, workspace_id)',
    );
  });

  it('has that column once', () => {
    const unique =
      'CREATE UNIQUE INDEX key ON public.document USING btree (workspace_id, external_id)';
    expect(indexOn(unique, { ...place, table: 'document' })).toBe(
      'CREATE UNIQUE INDEX key ON copy.document USING btree (workspace_id, external_id)',
    );
  });

  it('keeps its columns and its condition where it is not unique', () => {
    const partial =
      "CREATE INDEX document_failed ON public.document USING btree (id) WHERE (status = 'failed'::text)";
    expect(indexOn(partial, { ...place, table: 'document' })).toBe(
      "CREATE INDEX document_failed ON copy.document USING btree (id) WHERE (status = 'failed'::text)",
    );
  });
});
