import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import { cleanText } from '#src/documents/clean-text.ts';
import { isInDocumentSet } from '#src/documents/document-access.ts';

const MAX_VALUES = 1_000;
const names = z
  .array(z.string().transform(cleanText))
  .max(MAX_VALUES)
  .nullish()
  .transform((values) => values ?? []);

const tag = z.object({
  tag_key: z.string().transform(cleanText),
  tag_value: z.string().transform(cleanText),
});
const tagObject = z
  .record(z.string(), z.union([z.string(), z.array(z.string())]))
  .transform((tags) =>
    Object.entries(tags).flatMap(([key, values]) =>
      [values].flat().map((value) => ({ tag_key: cleanText(key), tag_value: cleanText(value) })),
    ),
  )
  .refine((tags) => tags.length <= MAX_VALUES, `must not name more than ${MAX_VALUES} tags`);

/** `search_filters` of the OpenAPI document. Tags are an object or, from existing clients, a list of pairs. */
export const searchFiltersSchema = z
  .object({
    source_type: names,
    document_set: names,
    time_cutoff: z.iso
      .datetime({
        offset: true,
        local: true,
        error: 'must be an ISO 8601 time such as 2026-05-31T08:30:00Z',
      })
      .transform((text) => new Date(/(?:z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`))
      .nullish()
      .transform((value) => value ?? null),
    tags: z
      .union([z.array(tag).max(MAX_VALUES), tagObject])
      .nullish()
      .transform((values) => values ?? []),
  })
  .meta({ id: 'SearchFilters' });

export type SearchFilters = z.output<typeof searchFiltersSchema>;

export const NO_FILTERS: SearchFilters = {
  source_type: [],
  document_set: [],
  time_cutoff: null,
  tags: [],
};

export function hasFilters(filters: SearchFilters): boolean {
  const { source_type, document_set, tags, time_cutoff } = filters;
  return source_type.length + document_set.length + tags.length > 0 || time_cutoff !== null;
}

/**
 * Selects the ids of the documents that pass; null without filters. A document passes if it matches at least one value
 * of every filter.
 * @param userId who searches; null if no pair is private to others
 */
export function filteredDocuments(
  workspaceId: WorkspaceId,
  userId: UserId | null,
  filters: SearchFilters,
): RawBuilder<DocumentId> | null {
  const conditions: RawBuilder<unknown>[] = [];
  if (filters.source_type.length > 0) {
    conditions.push(sql`d.source = any(${filters.source_type}::text[])`);
  }
  if (filters.tags.length > 0) {
    const tags = filters.tags.map(({ tag_key, tag_value }) => `${tag_key}=${tag_value}`);
    conditions.push(sql`d.tags && ${tags}::text[]`);
  }
  if (filters.time_cutoff) conditions.push(sql`d.doc_updated_at >= ${filters.time_cutoff}`);
  if (filters.document_set.length > 0) {
    conditions.push(isInDocumentSet('d', { workspaceId, userId }, filters.document_set));
  }
  if (conditions.length === 0) return null;
  return sql<DocumentId>`select d.id from document d
    where d.workspace_id = ${workspaceId} and ${sql.join(conditions, sql` and `)}`;
}
