import { createMailer } from '#src/email/smtp.ts';
import { createHttpClient } from '#src/platform/http.ts';
import type { Answer } from './api-client.ts';
import { silentDns } from './email-stage.ts';
import { FakeResolver, PUBLIC_ADDRESS } from './forbidden-hosts.ts';
import { startTestMillrace, type TestMillrace } from './test-millrace.ts';

/** A Millrace whose DNS the test controls: every customer-triggered call uses this resolver. */
export interface OutboundStage extends AsyncDisposable {
  readonly millrace: TestMillrace;
  readonly resolver: FakeResolver;
}

export async function startOutboundStage(
  allowCidrs: string[],
  overrides: Record<string, string> = {},
): Promise<OutboundStage> {
  await using opened = new AsyncDisposableStack();
  const resolver = new FakeResolver();
  const client = { allowCidrs, proxyUrl: null, connectTimeoutMs: 2_000, lookup: resolver.resolve };
  const http = opened.use(createHttpClient(client));
  const webhookHttp = opened.use(createHttpClient({ ...client, plainHttp: 'opened' }));
  const mailer = createMailer({ guard: http.guard, allowPort25: false });
  const millrace = opened.use(
    await startTestMillrace({
      DEFAULT_PLAN: 'Enterprise',
      LEAD_REQUEST_GAP_MS: '0',
      RATE_LIMIT_PER_MINUTE: '1000000',
      ...overrides,
    }),
  );
  // The API and the workers read these on each use.
  Object.assign(millrace.services, { http, webhookHttp, mailer, dns: silentDns, renderer: null });
  const resources = opened.move();
  return { millrace, resolver, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** A request in which a customer names a host. */
export interface Door {
  name: string;
  /** The field that the error names. */
  field: string;
  /** Whether the field takes a bare host instead of a URL. */
  isBare: boolean;
  ask(millrace: TestMillrace, host: string): Promise<Answer>;
}

const SECRET = 'correct horse battery staple';

const webhookBody = (host: string) => ({ url: `https://${host}/hook` });
export const accountBody = (host: string) => ({
  email: 'sender@acme.example',
  smtp_host: host,
  smtp_password: SECRET,
});

/** Creates the resource to be changed, once per Millrace. */
function target(path: string, body: object): (millrace: TestMillrace) => Promise<string> {
  const made = new WeakMap<TestMillrace, Promise<string>>();
  return (millrace) => {
    const known =
      made.get(millrace) ??
      millrace.call('POST', path, body).then((answer) => `${path}/${answer.body.id}`);
    made.set(millrace, known);
    return known;
  };
}

const endpointPath = target('/webhook-endpoints', {
  ...webhookBody(PUBLIC_ADDRESS),
  enabled: false,
});
const accountPath = target('/email-accounts', accountBody(PUBLIC_ADDRESS));
const scrape = (millrace: TestMillrace, query: string): Promise<Answer> =>
  millrace.call('POST', '/tools/lead-scraper', { mode: 'scrape_url', query });

export const DOORS: readonly Door[] = [
  {
    name: 'a new webhook endpoint',
    field: 'body.url',
    isBare: false,
    ask: (millrace, host) => millrace.call('POST', '/webhook-endpoints', webhookBody(host)),
  },
  {
    name: 'a change of a webhook endpoint',
    field: 'body.url',
    isBare: false,
    ask: async (millrace, host) =>
      millrace.call('PATCH', await endpointPath(millrace), webhookBody(host)),
  },
  {
    name: 'a lead scrape over TLS',
    field: 'body.query',
    isBare: false,
    ask: (millrace, host) => scrape(millrace, `https://${host}/`),
  },
  {
    name: 'a lead scrape without TLS, at another port',
    field: 'body.query',
    isBare: false,
    ask: (millrace, host) => scrape(millrace, `http://${host}:8080/team?page=1`),
  },
  {
    name: 'a lead scrape without a scheme',
    field: 'body.query',
    isBare: false,
    ask: (millrace, host) => scrape(millrace, `${host}/contact`),
  },
  {
    name: 'a new sender account',
    field: 'body.smtp_host',
    isBare: true,
    ask: (millrace, host) => millrace.call('POST', '/email-accounts', accountBody(host)),
  },
  {
    name: 'a change of a sender account',
    field: 'body.smtp_host',
    isBare: true,
    ask: async (millrace, host) =>
      millrace.call('PATCH', await accountPath(millrace), {
        smtp_host: host,
        smtp_password: SECRET,
      }),
  },
];
