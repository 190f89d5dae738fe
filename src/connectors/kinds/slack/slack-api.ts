import { z } from 'zod';
import type { SourceHttp, SourceRequest } from '#src/connectors/source/source-http.ts';
import { SLACK_FILE, type SlackFile } from './slack-file.ts';
import { CredentialRejected, SourceRefused } from '#src/connectors/source/source-errors.ts';

/** Slack accepted the request and answered `ok: false`. */
export class SlackRefusal extends SourceRefused {
  /** Slack's error code, such as `not_in_channel`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface SlackApi {
  /**
   * Calls a Web API method (https://docs.slack.dev/apis/web-api/).
   * @throws CredentialRejected for a token that is no longer valid, SlackRefusal for any other `ok: false`
   */
  call<T>(method: string, parameters: Record<string, string>, schema: z.ZodType<T>): Promise<T>;
  /** https://docs.slack.dev/reference/methods/files.info/ */
  file(id: string): Promise<SlackFile>;
  /**
   * The bytes of a file, from Slack's own hosts only, because the request carries the token.
   * @throws SourceRefused for another host, and when Slack shows its sign-in page instead
   */
  download(url: string, maxBytes: number, isHtml: boolean): Promise<Uint8Array>;
}

/** Codes of https://docs.slack.dev/reference/methods/auth.test/ that only another token can fix. */
const TOKEN_ERRORS = new Set([
  'account_inactive',
  'invalid_auth',
  'not_authed',
  'token_expired',
  'token_revoked',
]);
/** Sent with status 200 but equivalent to a 5xx or 429: `SourceHttp` retries such a response. */
const PASSING_ERRORS = new Set([
  'fatal_error',
  'internal_error',
  'ratelimited',
  'rate_limited',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
]);
const WRITING_METHODS = new Set(['conversations.join']);

const REFUSED = z
  .object({ ok: z.literal(false), error: z.string(), needed: z.string().nullish() })
  .refine(({ error }) => !PASSING_ERRORS.has(error), { error: 'Slack is busy or unavailable.' });

const LISTING = z.object({
  response_metadata: z.object({ next_cursor: z.string().nullish() }).nullish(),
});
/** Of 200 entries each, which exceeds any workspace: stops a cursor that never ends. */
const MAX_LISTING_PAGES = 5_000;

export function openSlackApi(http: SourceHttp, apiBase: string, token: string): SlackApi {
  const authorized = http.withHabits({ headers: { authorization: `Bearer ${token}` } });
  const api: SlackApi = {
    async call<T>(method: string, parameters: Record<string, string>, schema: z.ZodType<T>) {
      const accepted = z
        .looseObject({ ok: z.literal(true) })
        .transform((answer): unknown => answer)
        .pipe(schema)
        .transform((value: T) => ({ ok: true as const, value }));
      const request = requestFor(`${apiBase}/${method}`, method, parameters);
      const { data } = await authorized.json(request, z.union([REFUSED, accepted]));
      if (!data.ok) throw refusalOf(method, data);
      return data.value;
    },
    async file(id) {
      return (await api.call('files.info', { file: id }, z.object({ file: SLACK_FILE }))).file;
    },
    download: (url, maxBytes, isHtml) =>
      downloadFile(authorized, apiBase, { url, maxBytes, isHtml }, MAX_FILE_REDIRECTS),
  };
  return api;
}

const MAX_FILE_REDIRECTS = 2;
const REDIRECTS = [301, 302, 303, 307, 308];

async function downloadFile(
  http: SourceHttp,
  apiBase: string,
  file: { url: string; maxBytes: number; isHtml: boolean },
  redirects: number,
): Promise<Uint8Array> {
  const { url, maxBytes, isHtml } = file;
  if (!isOwnHost(url, apiBase)) {
    throw new SourceRefused('Slack returned an address outside Slack.');
  }
  const { status, headers, bytes } = await http.send({
    url,
    maxBytes,
    maxRedirects: 0,
    headers: { accept: '*/*' },
    expect: [...REDIRECTS, 401, 403],
  });
  const next = URL.parse(headers.get('location') ?? '', url);
  const isFile = next?.pathname.includes('/files-') === true;
  if (REDIRECTS.includes(status) && isFile && redirects > 0) {
    return downloadFile(http, apiBase, { ...file, url: next.href }, redirects - 1);
  }
  // Without the scope files:read, Slack redirects to its sign-in page, or shows it with status 200.
  const isPage = !isHtml && (headers.get('content-type') ?? '').startsWith('text/html');
  if (status >= 300 || isPage) {
    throw new SourceRefused('Slack refused the download: the app needs the scope files:read.');
  }
  return bytes;
}

/**
 * https://docs.slack.dev/reference/objects/file-object/ names files.slack.com; tests serve files next to their API.
 */
function isOwnHost(url: string, apiBase: string): boolean {
  const file = URL.parse(url);
  if (!file) return false;
  const isSlack = file.protocol === 'https:' && /(?:^|\.)slack\.com$/.test(file.hostname);
  return isSlack || file.origin === new URL(apiBase).origin;
}

function requestFor(
  url: string,
  method: string,
  parameters: Record<string, string>,
): SourceRequest {
  if (WRITING_METHODS.has(method)) return { url, method: 'POST', form: parameters };
  return { url: `${url}?${new URLSearchParams(parameters).toString()}` };
}

function refusalOf(method: string, { error, needed }: z.infer<typeof REFUSED>): Error {
  if (TOKEN_ERRORS.has(error)) {
    return new CredentialRejected(`Slack does not accept the bot token (${error}).`);
  }
  if (error === 'missing_scope') {
    return new SlackRefusal(
      error,
      `Slack refused ${method} (missing_scope): give the app the scope ${needed ?? 'it asks for'} and install it again.`,
    );
  }
  return new SlackRefusal(error, `Slack refused ${method} (${error}).`);
}

/** The entries of a listing with cursor pagination, one portion per request. */
export async function* listByCursor<T>(
  api: SlackApi,
  method: string,
  parameters: Record<string, string>,
  schema: z.ZodType<T>,
): AsyncGenerator<T & z.infer<typeof LISTING>, void> {
  let cursor = '';
  for (let page = 0; page < MAX_LISTING_PAGES; page += 1) {
    const asked = cursor === '' ? parameters : { ...parameters, cursor };
    const answer = await api.call(method, asked, z.intersection(LISTING, schema));
    yield answer;
    cursor = answer.response_metadata?.next_cursor ?? '';
    if (cursor === '') return;
  }
  throw new SourceRefused(`Slack's ${method} went on for more than ${MAX_LISTING_PAGES} pages.`);
}
