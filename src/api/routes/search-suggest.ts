import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { cleanText } from '#src/documents/clean-text.ts';
import { suggest } from '#src/documents/search/suggest.ts';

const MAX_TYPED_LENGTH = 200;
const MAX_SUGGESTIONS = 20;

const suggestionSchema = z
  .object({
    kind: z.enum(['word', 'title']).describe('word: what was typed, with its last word completed.'),
    text: z.string(),
    document_id: z.string().nullable().describe('Of a title.'),
    source_type: z.string().nullable().describe('Of a title.'),
  })
  .meta({ id: 'SearchSuggestion' });

/** Completions for a search box. */
export const searchSuggestRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/search/suggest',
    summary: 'Complete what is typed into a search box',
    description:
      'Words and titles that begin with what was typed, of documents that the caller may find. Nothing typed gives no suggestions.',
    tag: 'Search',
    family: 'platform',
    scope: 'read',
    body: z.object({
      query: z
        .string()
        .max(MAX_TYPED_LENGTH)
        .transform(cleanText)
        .describe('What was typed so far.'),
      limit: z.int().min(1).max(MAX_SUGGESTIONS).nullish().describe('8 unless told.'),
    }),
    reply: z.object({ suggestions: z.array(suggestionSchema), took_ms: z.number() }),
    async handle({ services, principal, body, signal }) {
      const started = performance.now();
      const { workspaceId, userId } = principal;
      const suggestions = await suggest(services, {
        workspaceId,
        userId,
        text: body.query,
        limit: body.limit ?? 8,
        signal,
      });
      return {
        suggestions: suggestions.map(({ kind, text, documentId, source }) => ({
          kind,
          text,
          document_id: documentId,
          source_type: source,
        })),
        took_ms: Math.round((performance.now() - started) * 10) / 10,
      };
    },
  }),
];
