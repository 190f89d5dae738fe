import type { Answer } from './api-client.ts';
import { PUBLIC_ADDRESS } from './forbidden-hosts.ts';
import type { TestMillrace } from './test-millrace.ts';

/** A request in which a customer names a host. */
export interface HostInput {
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

export const HOST_INPUTS: readonly HostInput[] = [
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
