import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { withSpellings } from '#src/connectors/kinds/source-spellings.ts';
import { cleanText } from '#src/documents/clean-text.ts';
import { searchDocuments } from '#src/documents/search/search-documents.ts';
import { visibleText } from '#src/documents/html-text.ts';
import { NO_FILTERS, searchFiltersSchema } from '#src/documents/search/search-filters.ts';
import { searchHitSchema } from '#src/documents/search/search-hit.ts';

const MAX_QUERY_LENGTH = 2_048;
const { source_type, document_set, tags, time_cutoff } = searchFiltersSchema.shape;

/** A hit, with the additional names that existing clients read. */
const searchResultSchema = searchHitSchema
  .extend({
    citation_id: z.int().describe('Place in the list, from 1.'),
    title: z.string().describe('As semantic_identifier.'),
    content: z.string().describe('The passage as text, also when it is HTML source.'),
  })
  .meta({ id: 'SearchResult' });

export const searchRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/search',
    summary: 'Search the indexed documents',
    description:
      'Words and vectors together; one result a document, its best passage, with offsets into the section it stands in.',
    tag: 'Search',
    family: 'platform',
    scope: 'read',
    body: z.object({
      query: z
        .string()
        .max(MAX_QUERY_LENGTH)
        .transform(cleanText)
        .refine((query) => query.trim() !== '', 'must not be blank'),
      search_filters: searchFiltersSchema.nullish(),
      // Existing clients send filters beside the query; they apply where search_filters has none of the same kind.
      sources: source_type,
      document_sets: document_set,
      tags,
      time_cutoff,
      limit: z
        .number()
        .int()
        .min(1)
        .max(100)
        .nullish()
        .transform((limit) => limit ?? 10),
    }),
    reply: z.object({ results: z.array(searchResultSchema), took_ms: z.number() }),
    async handle({ services, principal, body, signal, requestId, framing }) {
      const started = performance.now();
      const { workspaceId, userId } = principal;
      const filters = body.search_filters ?? NO_FILTERS;
      const hits = await searchDocuments(services, {
        workspaceId,
        userId,
        query: body.query,
        filters: withSpellings(
          {
            source_type: orElse(filters.source_type, body.sources),
            document_set: orElse(filters.document_set, body.document_sets),
            tags: orElse(filters.tags, body.tags),
            time_cutoff: filters.time_cutoff ?? body.time_cutoff,
          },
          framing,
        ),
        limit: body.limit,
        signal,
      });
      services.pointsAwarder.submit({ workspaceId, userId, action: 'search', sourceId: requestId });
      const results = hits.map((hit, index) => ({
        ...hit,
        citation_id: index + 1,
        title: hit.semantic_identifier,
        content: hit.is_html ? visibleText(hit.text) : hit.text,
      }));
      return { results, took_ms: Math.round((performance.now() - started) * 10) / 10 };
    },
  }),
];

function orElse<T>(values: T[], others: T[]): T[] {
  return values.length > 0 ? values : others;
}
