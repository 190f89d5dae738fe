import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { outgoingMessage } from '#test/support/smtp-mailer.ts';
import {
  FORBIDDEN_HOSTS,
  PUBLIC_ADDRESS,
  rebindingsTo,
  redirectTargetsTo,
  spellingsOf,
} from '#test/support/forbidden-hosts.ts';
import { linking } from '#test/support/lead-sites.ts';
import { firmPages, type LeadSite, type SitePage, startLeadSite } from '#test/support/lead-site.ts';
import {
  accountBody,
  type OutboundStage,
  startOutboundStage,
} from '#test/support/outbound-doors.ts';
import { startTripwire, type Tripwire } from '#test/support/tripwire.ts';
import { until } from '#test/support/until.ts';

/** What submission goes through without privileges, and any port. */
const PORTS = [2525, 2587, 2465, 0];

/** The operator has opened the site's address, and nothing beside it. */
let site: LeadSite;
let inner: Tripwire;
let stage: OutboundStage;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  site = opened.use(await startLeadSite({}));
  inner = opened.use(await startTripwire(PORTS));
  stage = opened.use(await startOutboundStage([`${site.host}/32`]));
});
afterAll(() => opened.disposeAsync());
afterEach(() => {
  expect(inner.connections).toBe(0);
});

const call = (method: string, path: string, body?: unknown) =>
  stage.millrace.call(method, path, body);
const innerPort = (): number => inner.ports.at(-1) ?? 0;
const innerUrl = (): string => `http://${inner.address}:${innerPort()}/`;
const rebindings = rebindingsTo('INNER');

let names = 0;
/** A name of its own that leads to these, in turn; INNER stands for the inner network. */
function nameFor(answers: readonly (readonly string[])[], domain = 'turns.example'): string {
  names += 1;
  const name = `n${names}.${domain}`;
  const filled = answers.map((addresses) =>
    addresses.map((address) => address.replace('INNER', inner.address)),
  );
  stage.resolver.set(name, filled);
  return name;
}

const scrape = (query: string) =>
  call('POST', '/tools/lead-scraper', { mode: 'scrape_url', query, enrichment: ['email'] });

/** Nothing of what was looked up, and no word that tells one kind of address from another. */
function expectSilent(text: string): void {
  expect(text).not.toContain(inner.address);
  expect(text).not.toMatch(/169\.254|::1|64:ff9b|::ffff/);
}

describe('the name of a webhook endpoint that, once it is saved, leads to', () => {
  it.each(rebindings)('$why is not called', async ({ answers }) => {
    const url = `https://${nameFor(answers)}:${innerPort()}/`;
    const made = await call('POST', '/webhook-endpoints', { url });
    expect([made.status, made.body.detail]).toEqual([200, undefined]);
    const sent = await call('POST', `/webhook-endpoints/${made.body.id}/test`);
    const { db } = stage.millrace.services;
    const attempts = async () => {
      const { rows } = await sql<{ error_class: string; error: string; status_code: null }>`
        select error_class, error, status_code from webhook_attempt
        where webhook_delivery_id = ${sent.body.delivery_id}`.execute(db);
      return rows;
    };
    await until(async () => (await attempts()).length > 0);
    const [attempt] = await attempts();
    const isGone = answers.at(-1)?.length === 0;
    expect(attempt).toMatchObject({
      error_class: isGone ? 'connection' : 'refused',
      status_code: null,
    });
    expectSilent(attempt?.error ?? '');
    await call('DELETE', `/webhook-endpoints/${made.body.id}`);
  });
});

describe('the name of a site that, once it is accepted, leads to', () => {
  it.each(rebindings)('$why is not read', async ({ answers, why }) => {
    const name = nameFor(answers);
    const answer = await scrape(`http://${name}:${innerPort()}/`);
    expect([answer.status, answer.body.error_code]).toEqual([502, 'BAD_GATEWAY']);
    const said = String(answer.body.detail).replaceAll(name, 'HOST');
    if (why === 'nothing') expect(said).toContain('HOST has no address');
    else expect(said).toMatch(/^HOST may not be reached from here, or it leads to an address/);
    expectSilent(answer.text);
  });

  it('an inner address after its first page gives no more than that page', async () => {
    const firm = firmPages('Turning Coffee', 'turning.example');
    // Each page closes its connection, so that the next one needs another.
    const closing =
      (html: string): SitePage =>
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/html', connection: 'close' })
          .end(html.replace('<h1>', '<a href="mailto:home@turning.example">Mail</a><h1>'));
    site.pages = Object.fromEntries(
      Object.entries(firm).map(([path, html]) => [path, closing(html)]),
    );
    site.pages['/robots.txt'] = closing('');
    const [vetted, robots, page] = [[site.host], [site.host], [site.host]];
    const name = nameFor([vetted, robots, page, [inner.address]]);
    // The same port, so that whoever follows the name arrives.
    const answer = await scrape(`http://${name}:${new URL(site.url).port}/`);
    expect([answer.status, answer.body.leads?.[0]?.email]).toEqual([200, 'home@turning.example']);
    expect(stage.resolver.asked.get(name)).toBeGreaterThan(3);
    expect(site.requests.filter((path) => path !== '/robots.txt')).toEqual(['/']);
  });
});

describe('a site that the operator has opened', () => {
  it('cannot send its readers anywhere else inside', async () => {
    const targets = redirectTargetsTo({ address: inner.address, port: innerPort() });
    const wrong = [];
    for (const [index, { host, why }] of targets.entries()) {
      for (const [kind, page] of movingTo(host)) {
        const path = `/${kind}-${index}`;
        site.pages = { [path]: page };
        const { status, body } = await scrape(`${site.url}${path}`);
        const isRefused = status === 502 && body.error_code === 'BAD_GATEWAY';
        // A page that sends its readers nowhere sensible is read as it is, and has nothing in it.
        const isEmpty = status === 200 && body.total_results === 0;
        if (!isRefused && !isEmpty) wrong.push({ kind, host, why, status, body });
      }
    }
    expect(wrong).toEqual([]);
  });
});

/** A page that moves to an address in each way that there is. */
function movingTo(target: string): [string, SitePage][] {
  const location = Buffer.from(target).toString('latin1');
  const redirect =
    (status: number): SitePage =>
    (_, response) =>
      void response.writeHead(status, { location }).end();
  return [
    ['found', redirect(302)],
    ['permanent', redirect(308)],
    ['refresh', `<meta http-equiv="refresh" content="0; url=${target}"><p>Moved.</p>`],
  ];
}
