import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { withSpellings } from '#src/connectors/source-spellings.ts';
import { cleanText } from '#src/documents/clean-text.ts';
import { searchDocuments } from '#src/documents/search.ts';
import { NO_FILTERS, searchFiltersSchema } from '#src/documents/search-filters.ts';
import { searchHitSchema } from '#src/documents/search-hit.ts';

const MAX_QUERY_LENGTH = 2_048;

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
      limit: z
        .number()
        .int()
        .min(1)
        .max(100)
        .nullish()
        .transform((limit) => limit ?? 10),
    }),
    reply: z.object({ results: z.array(searchHitSchema), took_ms: z.number() }),
    async handle({ services, principal, body, signal, requestId }) {
      const started = performance.now();
      const { workspaceId, userId } = principal;
      const results = await searchDocuments(services, {
        workspaceId,
        userId,
        query: body.query,
        filters: withSpellings(body.search_filters ?? NO_FILTERS),
        limit: body.limit,
        signal,
      });
      services.pointsAwarder.submit({ workspaceId, userId, action: 'search', sourceId: requestId });
      return { results, took_ms: Math.round((performance.now() - started) * 10) / 10 };
    },
  }),
];
