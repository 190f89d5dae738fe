import { z } from 'zod';

import { defineRoute, type Route } from '#src/api/route.ts';
import { streamReply } from '#src/api/stream-reply.ts';
import { toSearchDoc } from '#src/chat/citations/to-search-doc.ts';
import { toPlatformJson } from '#src/documents/platform-source.ts';
import { withSpellings } from '#src/connectors/kinds/source-spellings.ts';
import { visibleText } from '#src/documents/html-text.ts';
import { newestDocuments } from '#src/documents/search/newest-documents.ts';
import { searchDocuments } from '#src/documents/search/search-documents.ts';
import { NO_FILTERS, searchFiltersSchema } from '#src/documents/search/search-filters.ts';
import { queryText, searchQuery } from '#src/documents/search/search-query.ts';
import { searchDocSchema, type SearchHit } from '#src/documents/search/search-hit.ts';

const ADMIN_RESULTS = 50;

const ignored = z.number().nullish().describe('Ignored.');

const foundDocSchema = searchDocSchema
  .extend({ content: z.string().nullable().describe('The passage, when include_content is true.') })
  .meta({ id: 'FoundSearchDoc' });

const searchMessageReply = z.object({
  all_executed_queries: z.array(z.string()),
  search_docs: z.array(foundDocSchema),
  doc_selection_reasoning: z.string().nullable(),
  llm_selected_doc_ids: z.array(z.string()).nullable(),
  error: z.string().nullable(),
});

/** Searches in the shapes of existing clients. New clients use `/search`. */
export const adminSearchRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/admin/search',
    summary: 'Search as an administrator: at most 50 documents',
    description:
      'A blank query lists the documents that came last. Hidden documents are found, too; those that are private to others are not.',
    tag: 'Search',
    family: 'platform',
    scope: 'admin',
    body: z.object({ query: queryText, filters: searchFiltersSchema.nullish() }),
    reply: z.object({ documents: z.array(searchDocSchema) }),
    async handle({ services, principal, body, signal, framing }) {
      const { workspaceId, userId } = principal;
      const filters = withSpellings(body.filters ?? NO_FILTERS, framing);
      const scope = { workspaceId, userId, filters, limit: ADMIN_RESULTS, includesHidden: true };
      if (body.query.trim() === '') return { documents: await newestDocuments(services.db, scope) };
      services.searchTally.count(workspaceId);
      const hits = await searchDocuments(services, {
        ...scope,
        query: body.query,
        signal,
        hasOperators: true,
        collapses: false,
      });
      return { documents: hits.map(toSearchDoc) };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/search/send-search-message',
    summary: 'Search, in the shape of existing clients',
    description:
      'With stream: search_queries and search_docs as server-sent events, as bare JSON lines under /api. No model rewrites the query or selects documents.',
    tag: 'Search',
    family: 'platform',
    scope: 'read',
    produces: ['application/json', 'text/event-stream'],
    body: z.object({
      search_query: searchQuery,
      filters: searchFiltersSchema.nullish(),
      num_hits: z.int().min(1).max(100).nullish().describe('30 unless told.'),
      include_content: z.boolean().nullish(),
      stream: z.boolean().nullish(),
      num_docs_fed_to_llm_selection: ignored,
      run_query_expansion: z.boolean().nullish().describe('Ignored.'),
      hybrid_alpha: z
        .number()
        .min(0)
        .max(1)
        .nullish()
        .describe('Weight of the vectors: 0 is words alone, 1 vectors alone.'),
    }),
    reply: searchMessageReply,
    async handle({ services, principal, body, signal, requestId, framing }) {
      const { workspaceId, userId } = principal;
      services.searchTally.count(workspaceId);
      const hits = await searchDocuments(services, {
        workspaceId,
        userId,
        query: body.search_query,
        filters: withSpellings(body.filters ?? NO_FILTERS, framing),
        limit: body.num_hits ?? 30,
        signal,
        hasOperators: true,
        hybridAlpha: body.hybrid_alpha ?? null,
        collapses: false,
      });
      services.pointsAwarder.submit({ workspaceId, userId, action: 'search', sourceId: requestId });
      const reply = presentSearch(body.search_query, hits, body.include_content ?? false);
      if (body.stream !== true) return reply;
      return streamReply('text/event-stream; charset=utf-8', searchLines(reply, framing));
    },
  }),
];

function presentSearch(
  query: string,
  hits: readonly SearchHit[],
  withContent: boolean,
): z.input<typeof searchMessageReply> {
  return {
    all_executed_queries: [query],
    search_docs: hits.map((hit) => ({
      ...toSearchDoc(hit),
      content: withContent ? (hit.is_html ? visibleText(hit.text) : hit.text) : null,
    })),
    doc_selection_reasoning: null,
    llm_selected_doc_ids: null,
    error: null,
  };
}

async function* searchLines(
  { all_executed_queries, search_docs }: z.input<typeof searchMessageReply>,
  framing: 'sse' | 'lines',
): AsyncGenerator<string, void> {
  for (const line of [
    { type: 'search_queries', all_executed_queries },
    { type: 'search_docs', search_docs },
  ]) {
    yield framing === 'sse' ? `data: ${JSON.stringify(line)}\n\n` : `${toPlatformJson(line)}\n`;
  }
}
