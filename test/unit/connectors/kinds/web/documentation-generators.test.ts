import { describe, expect, test } from 'vitest';
import { type Generator, pagesOf, withoutLabels } from '#test/fixtures/documentation/generator.ts';
import { GENERATORS } from '#test/fixtures/documentation/generators.ts';
import { readLabels } from '#test/fixtures/documentation/labels.ts';
import { compareWords, type WordComparison } from '#test/support/compare-words.ts';
import { openTestContext } from '#test/support/connector-context.ts';
import { crawl, startSite } from './web-harness.ts';

const LEAST_KEPT = 0.98;
const MOST_LEAKED = 0.005;

describe('the output of documentation generators', () => {
  test.for(GENERATORS.map((generator) => [generator.name, generator] as const))(
    'of %s: the words that a reader wants are kept, and those of the frame left out',
    async ([, generator]) => {
      const pages = await compareSite(generator);
      const sum = (of: (page: WordComparison) => number) =>
        pages.reduce((total, page) => total + of(page), 0);
      const found = {
        pages: pages.length,
        isKept:
          sum(({ missing }) => missing.length) <= sum(({ wanted }) => wanted) * (1 - LEAST_KEPT),
        isClean: sum(({ surplus }) => surplus.length) <= sum(({ got }) => got) * MOST_LEAKED,
      };
      expect(found, pages.flatMap(report).join('\n')).toEqual({
        pages: pagesOf(generator).length,
        isKept: true,
        isClean: true,
      });
    },
  );
});

interface ComparedPage extends WordComparison {
  path: string;
}

/** What a run of the web connector reads of each page, compared with the labels. */
async function compareSite(generator: Generator): Promise<ComparedPage[]> {
  const labelled = new Map(pagesOf(generator).map(({ path, html }) => [path, html]));
  const served = Object.fromEntries(
    Array.from(labelled, ([path, html]) => [path, withoutLabels(html)]),
  );
  await using site = await startSite(served);
  await using context = openTestContext();
  const base_url = `${site.url}${generator.hrefOf('index')}`;
  const { documents } = await crawl(context, { base_url });
  return documents.map(({ id, sections }) => {
    const { pathname } = new URL(id);
    const text = sections.map((section) => section.text).join('\n');
    return { path: pathname, ...compareWords(text, readLabels(labelled.get(pathname) ?? '')) };
  });
}

function report({ path, missing, surplus }: ComparedPage): string[] {
  const lost = missing.length > 0 ? ` lost: ${missing.join(' ')}` : '';
  const leaked = surplus.length > 0 ? ` leaked: ${surplus.join(' ')}` : '';
  return lost + leaked === '' ? [] : [`${path}${lost}${leaked}`];
}
