import type { SearchFilters } from '#src/documents/search-filters.ts';
import { findConnector } from './registry.ts';

/** A filter for `tracker` also finds what was stored as `jira`, and the other way round. */
export function withSpellings(filters: SearchFilters): SearchFilters {
  return { ...filters, source_type: filters.source_type.flatMap(spellingsOf) };
}

function spellingsOf(source: string): string[] {
  const connector = findConnector(source);
  const names = connector ? [connector.kind, ...connector.aliases] : [];
  // A variant is a source of its own.
  return names.includes(source.toLowerCase()) ? [...new Set([source, ...names])] : [source];
}
