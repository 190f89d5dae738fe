import { describe, expect, it } from 'vitest';
import { withSpellings } from '#src/connectors/kinds/source-spellings.ts';
import { platformSource, toPlatformJson } from '#src/documents/platform-source.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';

describe('a source type under /api', () => {
  it.each([
    ['tracker', 'jira'],
    ['wiki', 'confluence'],
    ['rss', 'web'],
    ['atom', 'web'],
    ['jira', 'jira'],
    ['gitlab', 'gitlab'],
    ['imap', 'imap'],
    ['s3', 's3'],
    ['user_file', 'user_file'],
    ['crm-of-ours', 'ingestion_api'],
    ['constructor', 'ingestion_api'],
  ])('named %s is shown as %s', (source, name) => {
    expect(platformSource(source)).toBe(name);
  });

  it('changes only in search results', () => {
    const found = {
      document_id: 'd',
      semantic_identifier: 'D',
      source_type: 'wiki',
      metadata: { source_type: 'wiki' },
    };
    expect(JSON.parse(toPlatformJson({ a: [found], source_type: 'wiki' }))).toEqual({
      a: [{ ...found, source_type: 'confluence' }],
      source_type: 'wiki',
    });
  });

  it('as a filter matches every source shown under its name; elsewhere only the exact one', () => {
    const filters = { ...NO_FILTERS, source_type: ['web', 'confluence'] };
    expect(withSpellings(filters, 'lines').source_type.toSorted()).toEqual(
      ['atom', 'confluence', 'rss', 'web', 'wiki'].toSorted(),
    );
    expect(withSpellings(filters, 'sse').source_type).toEqual(['web', 'confluence']);
  });
});
