import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createMailer } from '#src/email/smtp.ts';
import type { Mailer, SmtpOutcome } from '#src/email/mailer.ts';
import { createOutboundGuard } from '#src/platform/outbound-guard.ts';
import {
  type AnswersInTurn,
  FORBIDDEN_HOSTS,
  rebindingsTo,
  spellingsOf,
} from '#test/support/forbidden-hosts.ts';
import { accountBody } from '#test/support/host-inputs.ts';
import { firmPages, type LeadSite, type SitePage, startLeadSite } from '#test/support/lead-site.ts';
import { type OutboundStage, startOutboundStage } from '#test/support/outbound-stage.ts';
import { outgoingMessage } from '#test/support/smtp-mailer.ts';
import { startTripwire, type Tripwire } from '#test/support/tripwire.ts';
import { until } from '#test/support/until.ts';

/** The submission ports that can be bound without privileges. */
const SMTP_PORTS = [2525, 2587, 2465];
/** Placeholder for the internal address until it is known. */
const INNER = 'INNER';

/** The operator has allowed the address of this site and nothing else. */
let site: LeadSite;
let inner: Tripwire;
let stage: OutboundStage;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  site = opened.use(await startLeadSite({}));
  inner = opened.use(await startTripwire([...SMTP_PORTS, 0]));
  stage = opened.use(await startOutboundStage([`${site.host}/32`]));
});
afterAll(() => opened.disposeAsync());
afterEach(() => {
  expect(inner.connections).toBe(0);
});

const call = (method: string, path: string, body?: unknown) =>
  stage.millrace.call(method, path, body);
const webPort = (): number => inner.ports.at(-1) ?? 0;
const rebindings = rebindingsTo(INNER);

let names = 0;
/** A new name that resolves to these answers in turn. */
function nameFor(answers: AnswersInTurn): string {
  names += 1;
  const name = `n${names}.turns.example`;
  const filled = answers.map((all) => all.map((one) => one.replace(INNER, inner.address)));
  stage.resolver.set(name, filled);
  return name;
}

/** Checks that the text reveals none of the resolved addresses. */
function expectSilent(text: string): void {
  expect(text).not.toContain(inner.address);
  expect(text).not.toMatch(/169\.254|::1|64:ff9b|::ffff/);
}

describe('a webhook endpoint whose name, after it was saved, resolves to', () => {
  it.each(rebindings)('$why is not called', async ({ answers }) => {
    const url = `https://${nameFor(answers)}:${webPort()}/`;
    const made = await call('POST', '/webhook-endpoints', { url });
    expect([made.status, made.body.detail]).toEqual([200, undefined]);
    const sent = await call('POST', `/webhook-endpoints/${made.body.id}/test`);
    const attempts = async () => {
      const { rows } = await sql<{ error_class: string; error: string; status_code: null }>`
        select error_class, error, status_code from webhook_attempt
        where webhook_delivery_id = ${sent.body.delivery_id}`.execute(stage.millrace.services.db);
      return rows;
    };
    await until(async () => (await attempts()).length > 0);
    const [attempt] = await attempts();
    const isNowhere = answers.at(-1)?.length === 0;
    const errorClass = isNowhere ? 'connection' : 'refused';
    expect(attempt).toMatchObject({ error_class: errorClass, status_code: null });
    expectSilent(attempt?.error ?? '');
    await call('DELETE', `/webhook-endpoints/${made.body.id}`);
  });
});

const scrape = (query: string) =>
  call('POST', '/tools/lead-scraper', { mode: 'scrape_url', query, enrichment: ['email'] });

describe('a site whose name, after it was accepted, resolves to', () => {
  it.each(rebindings)('$why is not read', async ({ answers, why }) => {
    const name = nameFor(answers);
    const answer = await scrape(`http://${name}:${webPort()}/`);
    expect([answer.status, answer.body.error_code]).toEqual([502, 'BAD_GATEWAY']);
    const said = String(answer.body.detail).replaceAll(name, 'HOST');
    if (why === 'nothing') expect(said).toBe('HOST has no address.');
    else expect(said).toMatch(/^HOST cannot be reached from here, or it leads to an address/);
    expectSilent(answer.text);
  });

  it('an internal address after its first page yields only that page', async () => {
    // Each answer closes its connection, so that the next request opens a new one.
    const closing =
      (body: string): SitePage =>
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/html', connection: 'close' })
          .end(body.replace('<h1>', '<a href="mailto:home@turning.example">Mail</a><h1>'));
    const pages = Object.entries({ '/robots.txt': '', ...firmPages('Turning', 'turning.example') });
    site.pages = Object.fromEntries(pages.map(([path, body]) => [path, closing(body)]));
    const [accepted, robots, page] = [[site.host], [site.host], [site.host]];
    const name = nameFor([accepted, robots, page, [INNER]]);
    const answer = await scrape(`http://${name}:${new URL(site.url).port}/`);
    expect([answer.status, answer.body.leads?.[0]?.email]).toEqual([200, 'home@turning.example']);
    expect(site.requests.filter((path) => path !== '/robots.txt')).toEqual(['/']);
    expect(stage.resolver.asked.get(name)).toBeGreaterThan(3);
    expectSilent(answer.text);
  });
});

const UNREACHABLE =
  'HOST does not resolve to a mail server that can be reached from here. Check the name of the SMTP server.';

async function newAccount(host: string, port: number): Promise<string> {
  const made = await call('POST', '/email-accounts', { ...accountBody(host), smtp_port: port });
  expect([made.status, made.body.detail]).toEqual([200, undefined]);
  return `/email-accounts/${made.body.id}`;
}

describe('a sender account whose server name, after it was saved, resolves to', () => {
  const nowhere = [{ answers: null, why: 'no name that is known' }];
  const cases = [...rebindings, ...nowhere].flatMap((one) =>
    SMTP_PORTS.map((port) => ({ ...one, port })),
  );
  it.each(cases)(
    '$why at port $port is not called, and the error does not say why',
    async (one) => {
      const name = one.answers ? nameFor(one.answers) : `nowhere-${one.port}.example`;
      const account = await newAccount(name, one.port);
      const { status, body, text } = await call('POST', `${account}/verify`, {
        test_recipient: 'me@inbox.test',
      });
      expect(status).toBe(200);
      expect({ ...body, message: body.message.replaceAll(name, 'HOST') }).toMatchObject({
        verified: false,
        status: 'failed',
        error_class: 'dns_error',
        message: UNREACHABLE,
      });
      expectSilent(text);
      expect((await call('GET', account)).body).toMatchObject({ smtp_host: name, daily_sent: 0 });
    },
  );

  it('an internal address does not send messages either', async () => {
    const name = nameFor([['93.184.216.34'], [INNER]]);
    const account = await newAccount(name, 2525);
    await sql`update email_account set verified = true, verified_at = now()
      where smtp_host = ${name}`.execute(stage.millrace.services.db);
    const sent = await call('POST', `${account}/send`, {
      to: 'bob@other.example',
      subject: 'Hello',
      text: 'Good day.',
    });
    expect([sent.status, sent.body.error_code]).toEqual([502, 'BAD_GATEWAY']);
    expect(sent.body.detail.replaceAll(name, 'HOST')).toContain(UNREACHABLE);
    expectSilent(sent.text);
  });
});

const sendTo = (mailer: Mailer, host: string, port: number): Promise<SmtpOutcome> =>
  mailer.send({ host, port, user: 'ada@acme.example', password: 's3cret' }, outgoingMessage(), {
    beforeData: () => Promise.reject(new Error('No message may be sent.')),
    signal: new AbortController().signal,
  });

describe('the mailer', () => {
  it('calls no host of the table, however it received it, and gives the same error for each', async () => {
    const { mailer } = stage.millrace.services;
    for (const { host } of [...FORBIDDEN_HOSTS, ...spellingsOf(inner.address)]) {
      for (const port of SMTP_PORTS) {
        const outcome = await sendTo(mailer, host, port);
        expect({ host, outcome }).toEqual({
          host,
          outcome: {
            kind: 'failed',
            errorClass: 'dns_error',
            isTemporary: false,
            limit: null,
            message: UNREACHABLE.replace('HOST', host),
          },
        });
      }
    }
  });

  it('does call such a server once the operator has allowed its address', async () => {
    await using server = await startTripwire(SMTP_PORTS);
    const guard = createOutboundGuard({ allowCidrs: [`${server.address}/32`] });
    const mailer = createMailer({ guard, allowPort25: false });
    for (const port of SMTP_PORTS) {
      expect(await sendTo(mailer, server.address, port)).toMatchObject({ kind: 'failed' });
    }
    expect(server.connections).toBe(SMTP_PORTS.length);
  });
});
