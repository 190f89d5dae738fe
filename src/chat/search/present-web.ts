import { z } from 'zod';
import type { SearchDoc } from '#src/documents/search/search-hit.ts';
import type { OpenedWebPage } from './read-web-pages.ts';

const numbered = z.object({
  document_citation_number: z.int().positive(),
  /** Other services mark their results with words that must be removed from answers; none here does. */
  unique_identifier_to_strip_away: z.null(),
});

export const webResultSchema = numbered.extend({
  type: z.literal('web_search'),
  url: z.string(),
  title: z.string(),
  snippet: z.string(),
});

export const webContentSchema = numbered.extend({
  type: z.literal('open_url'),
  url: z.string(),
  content: z.string().describe('The text of the page; of one that could not be read, the reason.'),
  error: z.string().nullable().describe('Why the page could not be read.'),
});

export function presentResult(
  document: SearchDoc,
  number: number,
): z.output<typeof webResultSchema> {
  return {
    document_citation_number: number,
    unique_identifier_to_strip_away: null,
    type: 'web_search',
    url: document.link ?? '',
    title: document.semantic_identifier,
    snippet: document.blurb,
  };
}

export function presentPage(
  page: OpenedWebPage,
  number: number,
): z.output<typeof webContentSchema> {
  const error = page.kind === 'failed' ? page.reason : null;
  return {
    document_citation_number: number,
    unique_identifier_to_strip_away: null,
    type: 'open_url',
    url: page.url,
    content: page.kind === 'failed' ? `The page could not be read: ${page.reason}` : page.text,
    error,
  };
}
