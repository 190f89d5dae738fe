import { describe, expect, it } from 'vitest';
import { isCoveredByLastmod, type PageMemory } from '#src/connectors/kinds/web/page-memory.ts';

const FETCHED = Date.parse('2026-03-10T12:00:00Z');
const HOUR_MS = 3_600_000;

function remembered(lastmod: string | null): PageMemory {
  return {
    how: 'as now',
    id: 'https://example.com/',
    etag: null,
    modified: null,
    raw: '',
    hash: '',
    lastmod,
    isTwin: false,
    at: FETCHED,
    links: [],
    doubts: [],
  };
}

/** Whether an unchanged `lastmod` saves the fetch this many hours after the last one. */
function isSaved(lastmod: string | null, hours = 1): boolean {
  return isCoveredByLastmod(remembered(lastmod), lastmod, new Date(FETCHED + hours * HOUR_MS));
}

describe('a page with an unchanged lastmod in the sitemap', () => {
  it('is not fetched again when it was fetched well after that time', () => {
    expect(isSaved('2026-03-10T10:00:00Z')).toBe(true);
    expect(isSaved('2026-03-08')).toBe(true);
  });

  it('is fetched again when it may have changed after the fetch without a new lastmod', () => {
    expect(isSaved('2026-03-10T11:30:00Z')).toBe(false);
    expect(isSaved('2026-03-10')).toBe(false);
    expect(isSaved('2026-03-09')).toBe(false);
  });

  it('is fetched again once a week, whatever the sitemap says', () => {
    expect(isSaved('2026-03-01', 7 * 24)).toBe(true);
    expect(isSaved('2026-03-01', 7 * 24 + 1)).toBe(false);
  });

  it('is fetched when the sitemap has no lastmod, an unknown one or another one', () => {
    expect(isSaved(null)).toBe(false);
    expect(isSaved('yesterday')).toBe(false);
    const now = new Date(FETCHED + HOUR_MS);
    expect(isCoveredByLastmod(remembered('2026-03-01'), '2026-03-02', now)).toBe(false);
  });
});
