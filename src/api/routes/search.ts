import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { withSpellings } from '#src/connectors/kinds/source-spellings.ts';
import { MAX_ARRANGED } from '#src/documents/search/arrange-documents.ts';
import {
  type PageHit,
  searchPage,
  type SearchPage,
} from '#src/documents/search/search-documents.ts';
import { visibleText } from '#src/documents/html-text.ts';
import { NO_FILTERS, searchFiltersSchema } from '#src/documents/search/search-filters.ts';
import { searchHitSchema } from '#src/documents/search/search-hit.ts';
import { ORIGINS } from '#src/documents/search/term-origins.ts';
import { searchQuery } from '#src/documents/search/search-query.ts';
import { RECENCY_BIASES } from '#src/tables/documents.ts';

const { source_type, document_set, tags, time_cutoff } = searchFiltersSchema.shape;

const halfScore = z
  .object({ score: z.number(), rank: z.int().describe('From 1, among the passages found so.') })
  .nullable();

/** Why a hit stands where it stands. */
const explanationSchema = z
  .object({
    lexical: halfScore.describe('BM25 by words; null when not found so.'),
    dense: halfScore.describe('Cosine of the vectors; null when not found so.'),
    relevance: z.number().describe('The sum of the parts, before age and boost.'),
    parts: z
      .object({
        words: z.number().describe('By the score of the words.'),
        vectors: z.number().describe('By the cosine.'),
        title: z.number().describe('For words of the query in the title.'),
        proximity: z.number().describe('For words of the query near each other.'),
        likeness: z.number().describe('From the passages that resemble it most.'),
        meaning: z
          .number()
          .describe('How near it is to what is meant, by the texts of the workspace.'),
        order: z.number().describe('Not above 0: keeps what was not read below what was read.'),
      })
      .describe('What relevance is made of.'),
    recency: z.number().describe('Factor for the age of the document.'),
    boost: z.number().describe('Factor for the boost of the document.'),
    scale: z
      .number()
      .describe('Factor below 1 where a boost lifts scores above 1. The four factors give score.'),
    terms: z
      .array(
        z.object({
          term: z.string().describe('As it is indexed.'),
          kind: z
            .enum(ORIGINS)
            .describe(
              'Why it was searched for: a word of the query, the same in another form, a correction, a synonym, the same in another form, or a compound.',
            ),
          of: z
            .string()
            .nullable()
            .describe('What stands in the query for it, if it is not a word of the query.'),
          score: z.number().describe('What it gives to lexical.score.'),
        }),
      )
      .describe('Words searched for that the passage has; their scores add up to lexical.score.'),
    matched: z
      .array(z.string())
      .describe('Words of the query in the passage, as they are indexed.'),
    missing: z.array(z.string()),
    copies: z
      .array(z.object({ document_id: z.string(), score: z.number() }))
      .describe('The first ten near-copies, with the scores that they would have.'),
  })
  .meta({ id: 'SearchExplanation' });

/** A hit, with the additional names that existing clients read. */
const searchResultSchema = searchHitSchema
  .extend({
    citation_id: z.int().describe('Place in the list, from 1.'),
    title: z.string().describe('As semantic_identifier.'),
    content: z.string().describe('The passage as text, also when it is HTML source.'),
    similar_count: z.int().describe('Near-copies that this hit stands for.'),
    similar_document_ids: z.array(z.string()).describe('The first ten of them.'),
    explanation: explanationSchema.nullable().describe('Null unless explain is true.'),
  })
  .meta({ id: 'SearchResult' });

const counts = {
  count: z.int().describe('Results that have it.'),
  documents: z.int().describe('Documents that have it, of all that match.'),
};
const facetCount = z.object({ value: z.string(), ...counts });
const facetsSchema = z
  .object({
    documents: z
      .int()
      .describe('All documents that match: with a word of the query, or found by the vectors.'),
    is_exact: z
      .boolean()
      .describe('False: too many match to count them all; each documents is at least so many.'),
    source_type: z.array(facetCount),
    tags: z.array(z.object({ tag_key: z.string(), tag_value: z.string(), ...counts })),
    document_set: z.array(facetCount),
  })
  .meta({ id: 'SearchFacets' });

const flag = (by: boolean) =>
  z
    .boolean()
    .nullish()
    .transform((value) => value ?? by);

export const searchRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/search',
    summary: 'Search the indexed documents',
    description:
      'Words and vectors together; one result a document, its best passage, with offsets into the section it stands in. A query may have "quoted phrases", -words to exclude and title:words.',
    tag: 'Search',
    family: 'platform',
    scope: 'read',
    body: z.object({
      query: searchQuery,
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
      offset: z
        .int()
        .min(0)
        .max(MAX_ARRANGED)
        .nullish()
        .transform((offset) => offset ?? 0)
        .describe('Results to leave out from the beginning: next_offset of the page before.'),
      recency_bias: z
        .enum(RECENCY_BIASES)
        .nullish()
        .describe('How much newer documents gain; the setting of the workspace unless told.'),
      hybrid_alpha: z
        .number()
        .min(0)
        .max(1)
        .nullish()
        .describe('Weight of the vectors: 0 is words alone, 1 vectors alone.'),
      collapse: flag(true).describe('False: near-copies are hits of their own.'),
      highlights: flag(true).describe('False: match_highlights is empty.'),
      facets: flag(false).describe('True: counts by source, tag and document set.'),
      explain: flag(false).describe('True: each result says why it stands where it stands.'),
    }),
    reply: z.object({
      results: z.array(searchResultSchema),
      total: z.int().describe(`Results that can be paged through, ${MAX_ARRANGED} at most.`),
      next_offset: z.int().nullable().describe('Null on the last page.'),
      facets: facetsSchema
        .nullable()
        .describe('Null unless facets is true. Counts of all results, and of all that match.'),
      corrected_query: z
        .string()
        .nullable()
        .describe(
          'What was searched instead, if words of the query are in no document; else null.',
        ),
      took_ms: z.number(),
    }),
    async handle({ services, principal, body, signal, requestId, framing }) {
      const started = performance.now();
      const { workspaceId, userId } = principal;
      const filters = body.search_filters ?? NO_FILTERS;
      services.searchTally.count(workspaceId);
      const page = await searchPage(services, {
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
        offset: body.offset,
        hasOperators: true,
        recencyBias: body.recency_bias ?? null,
        hybridAlpha: body.hybrid_alpha ?? null,
        collapses: body.collapse,
        includesHidden: false,
        highlights: body.highlights,
        facets: body.facets,
        explains: body.explain,
      });
      services.pointsAwarder.submit({ workspaceId, userId, action: 'search', sourceId: requestId });
      const end = body.offset + body.limit;
      return {
        results: page.hits.map((one, place) => presentHit(one, body.offset + place + 1)),
        total: page.total,
        next_offset: end < page.total ? end : null,
        facets: presentFacets(page),
        corrected_query: page.correctedQuery,
        took_ms: Math.round((performance.now() - started) * 10) / 10,
      };
    },
  }),
];

function presentHit({ hit, copies, explanation }: PageHit, place: number) {
  return {
    ...hit,
    citation_id: place,
    title: hit.semantic_identifier,
    content: hit.is_html ? visibleText(hit.text) : hit.text,
    similar_count: copies.count,
    similar_document_ids: copies.documentIds,
    explanation,
  };
}

function presentFacets({ facets }: SearchPage): z.input<typeof facetsSchema> | null {
  if (facets === null) return null;
  return {
    documents: facets.documents,
    is_exact: facets.isExact,
    source_type: facets.sources,
    tags: facets.tags.map(({ key, value, ...counted }) => ({
      tag_key: key,
      tag_value: value,
      ...counted,
    })),
    document_set: facets.documentSets,
  };
}

function orElse<T>(values: T[], others: T[]): T[] {
  return values.length > 0 ? values : others;
}
