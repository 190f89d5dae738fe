import { z } from 'zod';
import {
  askSearchProvider,
  type ProviderAddress,
  type ProviderAnswer,
} from './ask-search-provider.ts';
import {
  type FoundPage,
  foundPage,
  type SearchProvider,
  SearchProviderFailed,
} from './search-provider.ts';

const MAX_ENGINES_SHOWN = 5;
const MAX_REASON_LENGTH = 80;

/**
 * Instances differ in what they send: only the needed fields are required, and an invalid result is skipped alone.
 */
const answerSchema = z.object({
  results: z.array(z.unknown()),
  unresponsive_engines: z.array(z.unknown()).catch([]),
});
const resultSchema = z.object({
  url: z.string(),
  title: z.string().catch(''),
  content: z.string().catch(''),
});
/** An engine and why it did not respond. */
const engineSchema = z.union([
  z.tuple([z.string()], z.unknown()),
  z.string().transform((name) => [name]),
]);

/**
 * The JSON search of a SearXNG instance (https://docs.searxng.org/dev/search_api.html).
 * @param baseUrl may contain a user name and password, which are sent as HTTP Basic
 */
export function openSearxng(options: {
  baseUrl: string;
  fetch: typeof globalThis.fetch;
  timeoutMs?: number;
}): SearchProvider {
  const { fetch, timeoutMs } = options;
  const { base, headers } = readBase(options.baseUrl);
  const address: ProviderAddress = {
    label: `SearXNG at ${base.host}`,
    host: base.hostname,
    setting: 'SEARXNG_URL',
  };
  return {
    name: 'searxng',
    async find(query, { page, signal }) {
      const words = plainWords(query);
      if (words === '') return [];
      const url = new URL(base);
      url.search = new URLSearchParams({
        q: words,
        format: 'json',
        pageno: String(page),
      }).toString();
      const request = { url, headers, signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
      return readResults(await askSearchProvider(fetch, address, request), address);
    },
  };
}

/**
 * Removes the syntax with which a query chooses engines, languages and time limits, or redirects to another site
 * (https://docs.searxng.org/user/search-syntax.html): how the instance searches is up to its operator.
 */
function plainWords(query: string): string {
  const words = query.split(/\s+/).map((word) => word.replace(/^[!?:<]+/, ''));
  return words.filter((word) => word !== '').join(' ');
}

function readBase(baseUrl: string): { base: URL; headers: Record<string, string> } {
  const base = new URL(baseUrl);
  const { username, password } = base;
  base.username = '';
  base.password = '';
  base.hash = '';
  base.pathname = `${base.pathname.replace(/\/+$/, '')}/search`;
  if (username === '' && password === '') return { base, headers: {} };
  const login = [username, password].map(decoded).join(':');
  return { base, headers: { authorization: `Basic ${Buffer.from(login).toString('base64')}` } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readResults(answer: ProviderAnswer, { label, setting }: ProviderAddress): FoundPage[] {
  const failure = refusalOf(answer, label, setting);
  if (failure) throw failure;
  const parsed = answerSchema.safeParse(answer.json);
  if (!parsed.success) {
    throw new SearchProviderFailed(
      `${label} did not answer with search results in JSON. Check that ${setting} is the address of a SearXNG instance, without /search at its end.`,
      { isTemporary: false },
    );
  }
  const { results, unresponsive_engines: engines } = parsed.data;
  if (results.length === 0 && engines.length > 0) {
    throw new SearchProviderFailed(
      `${label} got no answer from its search engines: ${namesOf(engines)}. Wait until it asks them again, or enable others in its settings.yml.`,
      { isTemporary: false },
    );
  }
  return results.flatMap((one) => {
    const result = resultSchema.safeParse(one);
    if (!result.success) return [];
    return foundPage(result.data.url, result.data.title, result.data.content) ?? [];
  });
}

/** Null for a readable response. */
function refusalOf(
  { status, retryAfterSeconds }: ProviderAnswer,
  label: string,
  setting: string,
): SearchProviderFailed | null {
  const failed = (message: string, isTemporary = false): SearchProviderFailed =>
    new SearchProviderFailed(message, { isTemporary });
  const limiter =
    'server.limiter is on, which lets few programs through: switch it off, or name this server in botdetection.ip_lists.pass_ip of its limiter.toml';
  if (status === 403) {
    return failed(
      `${label} refuses JSON: add json to search.formats in its settings.yml (or its limiter blocks this server: ${limiter}).`,
    );
  }
  if (status === 429) {
    const when = retryAfterSeconds === null ? '' : ` Try again in ${retryAfterSeconds} s.`;
    return failed(`${label} is asked too often (429): ${limiter}.${when}`, true);
  }
  if (status === 401) {
    return failed(`${label} wants a user name and a password: put them into ${setting}.`);
  }
  if (status >= 500) return failed(`${label} failed with ${status}. Its log says why.`, true);
  if (status >= 300 && status < 400) {
    return failed(`${label} redirects (${status}): set ${setting} to where.`);
  }
  if (status === 200) return null;
  return failed(
    `${label} answered ${status}. Check that ${setting} is the address of a SearXNG instance.`,
  );
}

/** `google (CAPTCHA), bing (timeout) and 3 more` */
function namesOf(engines: readonly unknown[]): string {
  const names = engines.flatMap((engine) => {
    const parsed = engineSchema.safeParse(engine);
    if (!parsed.success) return [];
    const [name, reason] = parsed.data;
    return typeof reason === 'string' ? `${plain(name)} (${plain(reason)})` : plain(name);
  });
  const shown = names.slice(0, MAX_ENGINES_SHOWN);
  const more = names.length - shown.length;
  return `${shown.join(', ') || 'none is named'}${more > 0 ? ` and ${more} more` : ''}`;
}

function plain(text: string | undefined): string {
  return (text ?? '')
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .slice(0, MAX_REASON_LENGTH)
    .trim();
}
