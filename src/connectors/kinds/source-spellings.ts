import { shownAs } from '#src/documents/platform-source.ts';
import type { SearchFilters } from '#src/documents/search/search-filters.ts';
import { findConnector } from './registry.ts';

/**
 * A filter for `tracker` also finds documents stored as `jira`, and vice versa. Under `/api` a filter finds whatever
 * is shown there under its name, such as feeds for `web`.
 */
export function withSpellings(filters: SearchFilters, framing: 'sse' | 'lines'): SearchFilters {
  const source_type = filters.source_type.flatMap((source) => [
    ...spellingsOf(source),
    ...shownUnder(source, framing),
  ]);
  return { ...filters, source_type };
}

/** The other sources that clients under `/api` know by this name; none elsewhere. */
export function shownUnder(source: string, framing: 'sse' | 'lines'): string[] {
  return framing === 'lines' ? shownAs(source) : [];
}

function spellingsOf(source: string): string[] {
  const connector = findConnector(source);
  const names = connector ? [connector.kind, ...connector.aliases] : [];
  // A variant is a separate source.
  return names.includes(source.toLowerCase()) ? [...new Set([source, ...names])] : [source];
}
