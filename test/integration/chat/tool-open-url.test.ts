import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOpenUrl } from '#src/chat/built-in-tools/open-url.ts';
import { ToolFailed } from '#src/chat/tools/tool.ts';
import type { PageRenderer } from '#src/platform/page-renderer.ts';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import { FORBIDDEN_HOSTS, redirectTargetsTo } from '#test/support/forbidden-hosts.ts';
import { type LeadSite, type SitePage, startLeadSite } from '#test/support/lead-site.ts';
import { htmlPage, movesTo, sends } from '#test/support/page-answers.ts';
import { type OutboundStage, startOutboundStage } from '#test/support/outbound-stage.ts';
import { failureOfTool, openedPages, runTool, typesOf } from '#test/support/run-tool.ts';
import { insertPair, ownerOf } from '#test/support/seed-workspace.ts';
import { startTripwire, type Tripwire } from '#test/support/tripwire.ts';

/** The operator has allowed the address of this site and nothing else. */
let site: LeadSite;
let inner: Tripwire;
let stage: OutboundStage;
let workspaceId: WorkspaceId;
let userId: UserId;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  site = opened.use(await startLeadSite({}));
  inner = opened.use(await startTripwire([0]));
  stage = opened.use(await startOutboundStage([`${site.host}/32`]));
  const { db } = stage.millrace.services;
  const { rows } = await sql<{ id: WorkspaceId }>`select id from workspace`.execute(db);
  workspaceId = rows[0]?.id ?? workspaceId;
  userId = (await ownerOf(db, workspaceId)) as UserId; // came from the database
});
afterAll(() => opened.disposeAsync());
beforeEach(() => {
  site.pages = {};
});

const NOBODY = '00000000-0000-0000-0000-000000000000' as UserId;
const toolFor = (caller = userId, renderer: PageRenderer | null = null) =>
  createOpenUrl({ ...stage.millrace.services, renderer }, { workspaceId, userId: caller });
const open = (...paths: string[]) =>
  runTool(toolFor(), { urls: paths.map((path) => site.url + path) });
const failToOpen = (...urls: string[]) => failureOfTool(toolFor(), { urls });

const answers =
  (status: number): SitePage =>
  (_, response) =>
    void response.writeHead(status).end('Secret words.');

describe('forbidden addresses', () => {
  it('are all refused without a connection', async () => {
    const wrong: unknown[] = [];
    for (const { host, why } of FORBIDDEN_HOSTS) {
      const failure = await failToOpen(`http://${host}:${inner.ports[0]}/latest/meta-data/`);
      const isRight =
        failure.cause instanceof ToolFailed &&
        /cannot be reached from here|is not a URL|not a host/.test(failure.message);
      if (!isRight) wrong.push({ host, why, said: failure.message });
    }
    expect(wrong).toEqual([]);
    expect(inner.connections).toBe(0);
  });

  it('are not reached through a redirect, and the error reveals nothing about them', async () => {
    const port = inner.ports[0] ?? 0;
    const targets = redirectTargetsTo({ address: inner.address, port });
    site.pages = Object.fromEntries(
      targets.map(({ target }, index) => [`/${index}`, movesTo(target)]),
    );
    const wrong: unknown[] = [];
    for (const [index, { why }] of targets.entries()) {
      const { message } = await failToOpen(`${site.url}/${index}`);
      const said = message.replaceAll(site.url, '');
      if (said.includes(inner.address) || /Who is there/.test(said)) wrong.push({ why, said });
    }
    expect(wrong).toEqual([]);
    expect(inner.connections).toBe(0);
  });

  it('are not reached through a name that resolves differently the second time', async () => {
    stage.resolver.set('turns.example', [[site.host], [inner.address]]);
    const { port } = new URL(site.url);
    site.pages = { '/': movesTo(`http://turns.example:${inner.ports[0]}/`) };
    const failure = await failToOpen(`http://turns.example:${port}/`);
    expect(failure.message).toMatch(/turns\.example cannot be reached from here/);
    expect(failure.message).not.toContain(inner.address);
    expect(stage.resolver.asked.get('turns.example')).toBe(2);
    expect(inner.connections).toBe(0);
  });

  it.each([
    ['file:///etc/passwd', /begins with file:/],
    ['ftp://files.example/', /begins with ftp:/],
    ['javascript:alert(1)', /begins with javascript:/],
    ['https://user:word@site.example/', /contains a user name or password/],
    ['http://site.example:25/', /names port 25/],
    ['two words', /is not a URL/],
    [`https://site.example/${'x'.repeat(3_000)}`, /is too long/],
  ])('are refused for their form: %.40s', async (url, reason) => {
    const failure = await failToOpen(url);
    expect(failure.cause).toBeInstanceOf(ToolFailed);
    expect(failure.message).toMatch(reason);
    expect(typesOf(failure.packets)).toEqual(['open_url_start', 'open_url_urls']);
  });
});

describe('a page that cannot be read', () => {
  it.each<[string, SitePage, RegExp]>([
    ['is gone', answers(404), /answered 404\.$/],
    ['requires a sign-in', answers(401), /asks for a sign-in \(401\)\.$/],
    ['fails', answers(500), /answered 500\.$/],
    ['is empty', sends('text/html', ''), /sent an empty page\.$/],
    ['has no text', htmlPage('<img src="x.png">'), /shows no text\.$/],
    [
      'needs JavaScript',
      htmlPage('<div id="app"></div><script>1</script>'),
      /without JavaScript\.$/,
    ],
    ['is an image', sends('image/png', 'x'), /sent image\/png, which cannot be read as text\.$/],
    [
      'has no valid type',
      sends('a\u00e9 "x"', 'x'),
      /sent something, which cannot be read as text\.$/,
    ],
    ['is binary', sends('', Buffer.from(Array.from({ length: 400 }, (_, n) => n % 7))), /no text/],
    ['is not a PDF', sends('application/pdf', 'Hello'), /content is not a PDF file/],
    ['redirects in a circle', movesTo('/page'), /redirected more than 5 times\.$/],
    ['hangs up', (request) => void request.socket.destroy(), /closed the connection/],
  ])('%s: the reason is given without its content', async (_, answer, reason) => {
    site.pages = { '/page': answer };
    const failure = await failToOpen(`${site.url}/page`);
    expect(failure.cause).toBeInstanceOf(ToolFailed);
    expect(failure.message).toMatch(/^No page could be read\. /);
    expect(failure.message).toMatch(reason);
    expect(failure.message).not.toContain('Secret words');
  });

  it('does not keep others from being read', async () => {
    site.pages = { '/good': htmlPage('<p>Good words.</p>', 'Good'), '/bad': answers(500) };
    const { packets, result } = await open('/bad', '/good');
    expect(openedPages(result.text)).toEqual({
      results: [{ citation: 1, url: `${site.url}/good`, title: 'Good', content: 'Good words.' }],
      failed: [{ url: `${site.url}/bad`, reason: `${new URL(site.url).host} answered 500.` }],
    });
    expect(packets).toEqual([
      { type: 'open_url_start' },
      { type: 'open_url_urls', urls: [`${site.url}/bad`, `${site.url}/good`] },
      { type: 'open_url_documents', documents: result.documents },
    ]);
  });

  it('ends with the reason of an abort', async () => {
    const abort = new AbortController();
    site.pages = { '/': () => abort.abort(new Error('The client has gone.')) };
    const options = { signal: abort.signal };
    const failure = await failureOfTool(toolFor(), { urls: [`${site.url}/`] }, options);
    expect(failure.message).toBe('The client has gone.');
  });

  it('is rendered when a browser is available, and stays as it is when the browser fails', async () => {
    const empty = htmlPage('<div id="app"></div><script>1</script>');
    site.pages = { '/': empty };
    const rendered: string[] = [];
    const browser: PageRenderer = {
      render: async (url) => {
        rendered.push(url);
        return { status: 200, url, html: htmlPage('<p>Written by a script.</p>') };
      },
    };
    const broken: PageRenderer = { render: () => Promise.reject(new SourceUnavailable('No.')) };
    const { result } = await runTool(toolFor(userId, browser), { urls: [`${site.url}/`] });
    expect(openedPages(result.text).results[0]?.content).toBe('Written by a script.');
    expect(rendered).toEqual([`${site.url}/`]);
    const failure = await failureOfTool(toolFor(userId, broken), { urls: [`${site.url}/`] });
    expect(failure.message).toMatch(/shows no text without JavaScript/);
  });
});

describe('a page that cannot be fetched but is indexed', () => {
  const WIKI = 'https://wiki.inner.example/plan';
  beforeAll(async () => {
    const { millrace } = stage;
    const { db } = millrace.services;
    const secret = await insertPair(db, workspaceId, 'Secret', userId);
    await sql`update cc_pair set access_type = 'private' where id = ${secret}`.execute(db);
    const push = async (id: string, text: string, pair: object) => {
      const { status, text: said } = await millrace.call('POST', '/service-api/ingestion', {
        document: {
          id,
          semantic_identifier: 'The plan',
          sections: [{ text, link: id }],
          source: 'confluence',
          metadata: {},
        },
        ...pair,
      });
      expect(status, said).toBe(200);
    };
    await push(WIKI, 'We move in May.', {});
    await push(`${WIKI}/secret/`, 'We move to Kent.', { cc_pair_id: secret });
    await millrace.settled();
    stage.resolver.set('wiki.inner.example', [['10.1.2.3']]);
  });

  it('is read from the index as its indexed document', async () => {
    const { result } = await runTool(toolFor(NOBODY), { urls: [`${WIKI}#top`] });
    expect(openedPages(result.text).results[0]).toMatchObject({
      title: 'The plan',
      content: 'We move in May.',
    });
    expect(result.documents).toMatchObject([
      { document_id: WIKI, source_type: 'confluence', is_internet: false },
    ]);
  });

  it('is hidden from users without access and from other workspaces', async () => {
    const own = await runTool(toolFor(), { urls: [`${WIKI}/secret`] });
    expect(openedPages(own.result.text).results[0]?.content).toBe('We move to Kent.');
    const others = await failureOfTool(toolFor(NOBODY), { urls: [`${WIKI}/secret`] });
    expect(others.message).not.toContain('Kent');
    const other = await stage.millrace.createWorkspace();
    const caller = { workspaceId: other.workspaceId as WorkspaceId, userId };
    const services = { ...stage.millrace.services, renderer: null };
    const strange = await failureOfTool(createOpenUrl(services, caller), { urls: [WIKI] });
    expect(strange.message).toMatch(/wiki\.inner\.example cannot be reached from here/);
  });
});
