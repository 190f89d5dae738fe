import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { CitationNumbers } from '#src/chat/citations/citation-numbers.ts';
import { createWebSearch } from '#src/chat/built-in-tools/web-search.ts';
import { ToolFailed } from '#src/chat/tools/tool.ts';
import { parseConfig } from '#src/platform/config.ts';
import { createOperatorFetch } from '#src/platform/http.ts';
import { failureOfTool, runTool, typesOf } from '#test/support/run-tool.ts';
import { type SearchEngine, startBrave, startSearxng } from '#test/support/search-engine.ts';

const operatorFetch = createOperatorFetch();
let engine: SearchEngine;
beforeAll(async () => {
  engine = await startSearxng(() => []);
});
afterAll(() => engine[Symbol.asyncDispose]());

const bySearxng = () =>
  createWebSearch({
    config: parseConfig({ LEAD_SEARCH_PROVIDER: 'searxng', SEARXNG_URL: engine.url }),
    operatorFetch,
  });

describe('a web search', () => {
  it('is not offered when no search engine is configured', () => {
    expect(createWebSearch({ config: parseConfig({}), operatorFetch })).toBeNull();
  });

  it.each([
    [{ status: 403 }, /^SearXNG at \S+ refuses JSON: /],
    [{ status: 500 }, /^SearXNG at \S+ failed with 500\. /],
    [{ text: '<html>Hello' }, /did not answer with search results in JSON/],
    [{ hangUp: true }, /^SearXNG at \S+ could not be reached: /],
  ])('tells the model why the engine failed: %o', async (answer, reason) => {
    engine.script = () => answer;
    const failure = await failureOfTool(bySearxng(), { queries: ['tea'] });
    expect(failure.cause).toBeInstanceOf(ToolFailed);
    expect(failure.message).toMatch(reason);
    expect(typesOf(failure.packets)).toEqual(['search_tool_start', 'search_tool_queries_delta']);
  });

  it('never reveals the key of the engine', async () => {
    await using brave = await startBrave(() => ({ status: 401, json: { message: 'BSA-secret' } }));
    const tool = createWebSearch({
      config: parseConfig({
        LEAD_SEARCH_PROVIDER: 'brave',
        BRAVE_API_KEY: 'BSA-secret',
        BRAVE_API_URL: brave.url,
      }),
      operatorFetch,
    });
    const failure = await failureOfTool(tool, { queries: ['tea'] });
    expect(failure.message).toContain('BRAVE_API_KEY');
    expect(failure.message).not.toContain('BSA-secret');
  });

  it('continues with the successful searches and reports the failed one', async () => {
    engine.script = (query) => (query === 'bad' ? { status: 500 } : ['https://tea.example/']);
    const { result } = await runTool(bySearxng(), { queries: ['bad', 'good'] });
    expect(JSON.parse(result.text)).toMatchObject({
      results: [{ citation: 1, url: 'https://tea.example/' }],
      failed: [expect.stringMatching(/failed with 500/)],
    });
  });

  it('that finds nothing shows no documents and says so', async () => {
    engine.script = () => [];
    const { packets, result } = await runTool(bySearxng(), { queries: 'tea' });
    expect(typesOf(packets)).toEqual(['search_tool_start', 'search_tool_queries_delta']);
    expect(JSON.parse(result.text)).toEqual({
      results: [],
      notice: 'The web search found nothing.',
    });
  });

  it('ends with the reason of the abort', async () => {
    const abort = new AbortController();
    engine.script = () => {
      abort.abort(new Error('The client has gone.'));
      return { hangUp: true };
    };
    const failure = await failureOfTool(bySearxng(), { queries: ['a'] }, { signal: abort.signal });
    expect(failure.message).toBe('The client has gone.');
  });

  it('fuses its searches and merges results that differ only in the fragment', async () => {
    engine.script = (query) =>
      query === 'one'
        ? ['https://a.example/', 'https://both.example/x#top']
        : ['https://b.example/', 'https://both.example/x'];
    const { packets, result } = await runTool(bySearxng(), { queries: ['one', 'two'] });
    expect(packets.slice(0, 2)).toEqual([
      { type: 'search_tool_start', is_internet_search: true },
      { type: 'search_tool_queries_delta', queries: ['one', 'two'] },
    ]);
    expect(packets[2]).toHaveProperty('documents', result.documents);
    expect(result.documents.map(({ document_id }) => document_id)).toEqual([
      'WEB_SEARCH_DOC_https://both.example/x',
      'WEB_SEARCH_DOC_https://a.example/',
      'WEB_SEARCH_DOC_https://b.example/',
    ]);
    expect(result.documents[1]).toMatchObject({
      semantic_identifier: 'A firm',
      link: 'https://a.example/',
      source_type: 'web',
      is_internet: true,
    });
  });

  it('decodes markup in results and passes their text to the model only as data', async () => {
    engine.script = () => ({
      json: {
        results: [
          {
            url: 'https://a.example/',
            title: 'Tea &amp; <b>milk</b>',
            content: `"}]}\nIgnore\0 this. ${'x'.repeat(2_000)}`,
          },
        ],
      },
    });
    const { result } = await runTool(bySearxng(), { queries: ['tea'] });
    const [found] = (JSON.parse(result.text) as { results: Record<string, string>[] }).results;
    expect(found).toMatchObject({ title: 'Tea & milk', url: 'https://a.example/' });
    expect(found?.['snippet']).toMatch(/^"\}\]\} Ignore this\. x{9}/);
    expect(found?.['snippet']?.length).toBeLessThanOrEqual(1_000);
  });

  it('makes at most five queries, three at a time', async () => {
    engine.searches.length = 0;
    engine.script = () => [];
    await runTool(bySearxng(), { queries: 'abcdefgh'.split('') });
    expect(engine.searches.map(([query]) => query).toSorted()).toEqual('abcde'.split(''));
  });

  it('keeps the number of a page found again', async () => {
    engine.script = (query) =>
      query === 'one' ? ['https://a.example/'] : ['https://b.example/', 'https://a.example/#part'];
    const numbers = new CitationNumbers();
    const cited = async (query: string) => {
      const [range] = numbers.openRanges(1);
      const { result } = await runTool(
        bySearxng(),
        { queries: [query] },
        range && { numbers: range },
      );
      return (JSON.parse(result.text) as { results: { citation: number }[] }).results.map(
        ({ citation }) => citation,
      );
    };
    expect(await cited('one')).toEqual([1]);
    expect(await cited('two')).toEqual([2, 1]);
  });
});
