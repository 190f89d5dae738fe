import { type FakeAnswer, type FakeService, startFakeService } from './fake-service.ts';

/** The engine's response for a page of a search, from 1. */
type SearchScript = (query: string, page: number) => FakeAnswer | readonly string[];

/** A test search engine; a list stands for results at these URLs. */
export interface SearchEngine extends FakeService {
  script: SearchScript;
  /** Words and page of each search. */
  readonly searches: [string, number][];
}

/** The JSON search of SearXNG, at `/search`. */
export const startSearxng = (script: SearchScript): Promise<SearchEngine> =>
  start(script, {
    path: '/search',
    pageOf: (asked) => Number(asked.get('pageno')),
    answer: (results) => ({ json: { results, unresponsive_engines: [] } }),
  });

/** The web search of Brave. */
export const startBrave = (script: SearchScript): Promise<SearchEngine> =>
  start(script, {
    path: '/res/v1/web/search',
    pageOf: (asked) => Number(asked.get('offset')) + 1,
    answer: (results) => ({ json: { web: { results }, query: { more_results_available: false } } }),
  });

interface Dialect {
  path: string;
  pageOf(asked: URLSearchParams): number;
  answer(results: { url: string; title: string }[]): FakeAnswer;
}

async function start(first: SearchScript, dialect: Dialect): Promise<SearchEngine> {
  const searches: [string, number][] = [];
  const engine = { script: first };
  const service = await startFakeService(({ url }) => {
    const { pathname, searchParams: asked } = new URL(url, 'http://engine.test');
    if (pathname !== dialect.path) return { status: 404 };
    const [query, page] = [asked.get('q') ?? '', dialect.pageOf(asked)];
    searches.push([query, page]);
    const found = engine.script(query, page);
    return isList(found)
      ? dialect.answer(found.map((address) => ({ url: address, title: 'A firm' })))
      : found;
  });
  return Object.assign(engine, {
    url: service.url,
    requests: service.requests,
    searches,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  });
}

function isList(found: FakeAnswer | readonly string[]): found is readonly string[] {
  return Array.isArray(found);
}
