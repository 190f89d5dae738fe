// @module-tag smoke
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import type { PageToExtract } from '#src/leads/extract/extracted-page.ts';
import { readIndexedSite } from '#src/leads/search/read-indexed-site.ts';
import { searchWeb } from '#src/leads/search/search-web.ts';
import { GiveUp } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import { insertPair, ownerOf } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

interface Tenant {
  workspaceId: WorkspaceId;
  userId: UserId;
  key: string;
}

let millrace: TestMillrace;
let tenant: Tenant;
let stranger: Tenant;
const signal = new AbortController().signal;

async function openTenant(): Promise<Tenant> {
  const { workspaceId, key } = await millrace.createWorkspace();
  const userId = await ownerOf(millrace.services.db, workspaceId);
  // Came from the API.
  return { workspaceId: workspaceId as WorkspaceId, userId: userId as UserId, key };
}

async function push(
  { key }: Tenant,
  id: string,
  title: string,
  text: string,
  rest: { cc_pair_id?: number; source?: string; metadata?: object } = {},
): Promise<void> {
  const { source = 'web', metadata = {}, cc_pair_id } = rest;
  const document = {
    id,
    semantic_identifier: title,
    source,
    metadata,
    sections: [{ text, link: id }],
  };
  const { status, body } = await millrace.call(
    'POST',
    '/service-api/ingestion',
    { document, ...(cc_pair_id !== undefined && { cc_pair_id }) },
    { key },
  );
  expect(status, JSON.stringify(body)).toBe(200);
}

beforeAll(async () => {
  millrace = await startTestMillrace();
  tenant = await openTenant();
  stranger = await openTenant();
  const { db } = millrace.services;
  const owner = await ownerOf(db, tenant.workspaceId);
  const secret = await insertPair(db, tenant.workspaceId, 'Secret', owner);
  await sql`update cc_pair set access_type = 'private' where id = ${secret}`.execute(db);
  await push(tenant, 'https://www.mill.example/flour', 'Flour', 'We grind walrus flour in Kent.');
  await push(tenant, 'https://www.mill.example/oats', 'Oats', 'Walrus oats, rolled.');
  await push(
    tenant,
    'https://www.mill.example/kontakt',
    'Kontakt',
    '# Kontakt\n\nJane Doe, [mail](mailto:jane@mill.example)',
    { metadata: { site: 'The Mill', language: 'de' } },
  );
  await push(tenant, 'https://www.mill.example/x/7', 'Our team', 'Jane and John.');
  await push(tenant, 'https://www.mill.example/privacy', 'Privacy', 'Cookies.');
  await push(tenant, 'https://www.mill.example/team', 'Team', 'Secret people.', {
    cc_pair_id: secret,
  });
  await push(tenant, 'https://other.example/contact', 'Contact', 'Nothing of the sort.');
  await push(tenant, 'https://www.facebook.com/walrus', 'Walrus', 'A walrus page.');
  await push(tenant, 'https://pushed.example/', 'Pushed', 'A walrus, pushed.', { source: 'api' });
  await push(tenant, 'https://hidden.example/', 'Hidden', 'A secret walrus.', {
    cc_pair_id: secret,
  });
  await push(stranger, 'https://www.mill.example/about', 'About', 'Walrus of a stranger.');
  await push(stranger, 'https://theirs.example/', 'Theirs', 'Walrus of theirs.');
  await millrace.settled(tenant.key);
  await millrace.settled(stranger.key);
});
afterAll(() => millrace[Symbol.asyncDispose]());

/** A user without private documents. */
const NOBODY = '00000000-0000-0000-0000-000000000000' as UserId;

const searchAll = (who: Tenant, { userId = NOBODY, query = 'walrus', wanted = 10 } = {}) =>
  searchWeb(millrace.services, { workspaceId: who.workspaceId, userId, query, wanted, signal });
const search = async (...of: Parameters<typeof searchAll>) => (await searchAll(...of)).sites;

async function addressesOf(ids: readonly DocumentId[]): Promise<string[]> {
  const { rows } = await sql<{ external_id: string; workspace_id: string }>`
    select external_id, workspace_id from document where id = any(${[...ids]}::bigint[])`.execute(
    millrace.services.db,
  );
  expect(rows).toHaveLength(ids.length);
  for (const row of rows) expect(row.workspace_id).toBe(tenant.workspaceId);
  return rows.map((row) => new URL(row.external_id).pathname).toSorted();
}

describe('the index as a search provider', () => {
  it('returns the sites of indexed web pages with their documents, including those with contacts', async () => {
    const sites = await search(tenant);
    expect(sites.map(({ domain, url }) => [domain, url])).toEqual([
      ['mill.example', 'https://www.mill.example/'],
    ]);
    expect(await addressesOf(sites[0]?.documentIds ?? [])).toEqual([
      '/flour',
      '/kontakt',
      '/oats',
      '/x/7',
    ]);
  });

  it('includes private documents of the caller', async () => {
    const sites = await search(tenant, { userId: tenant.userId });
    expect(sites.map(({ domain }) => domain).toSorted()).toEqual([
      'hidden.example',
      'mill.example',
    ]);
    const mill = sites.find(({ domain }) => domain === 'mill.example');
    expect(await addressesOf(mill?.documentIds ?? [])).toContain('/team');
  });

  it('omits and counts sites that are not about the query', async () => {
    const { sites, omitted } = await searchAll(tenant, { query: 'walrus insurance brokers' });
    expect(sites).toEqual([]);
    expect(omitted).toBeGreaterThan(0);
  });

  it('returns no more than requested, and nothing when there is nothing', async () => {
    expect(await search(tenant, { userId: tenant.userId, wanted: 1 })).toHaveLength(1);
    expect(await search(await openTenant())).toEqual([]);
  });

  it('keeps workspaces apart, even when they have indexed the same site', async () => {
    const sites = await search(stranger);
    expect(sites.map(({ domain }) => domain).toSorted()).toEqual([
      'mill.example',
      'theirs.example',
    ]);
    expect(sites.flatMap(({ documentIds }) => documentIds)).toHaveLength(2);
  });
});

/** Records the pages it receives and extracts nothing. */
function recorder(refuses: (page: PageToExtract) => boolean = () => false) {
  const pages: PageToExtract[] = [];
  const services: Pick<Services, 'db' | 'leadExtractor'> = {
    db: millrace.services.db,
    leadExtractor: {
      async extract(page) {
        pages.push(page);
        if (refuses(page)) throw new GiveUp('The page is too long.');
        const { url } = page;
        return {
          url,
          canonicalUrl: url,
          title: '',
          siteName: '',
          language: '',
          cards: [],
          links: [],
          needsRendering: false,
        };
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  };
  return { pages, services };
}

describe('an indexed site', () => {
  it('is read as pages at their own URLs, in the given order', async () => {
    const [site] = await search(tenant);
    const { pages, services } = recorder();
    const documentIds = (site?.documentIds ?? []).toReversed();
    const { workspaceId } = tenant;
    const read = await readIndexedSite(services, { workspaceId, documentIds }, signal);
    expect(read.map(({ url }) => url)).toEqual(pages.map(({ url }) => url));
    expect(read).toHaveLength(4);
    const contact = pages.find(({ url }) => url === 'https://www.mill.example/kontakt');
    expect(contact?.kind).toBe('html');
    expect(contact?.html).toContain('<title>Kontakt</title>');
    expect(contact?.html).toContain('lang="de"');
    expect(contact?.html).toContain('content="The Mill"');
    expect(contact?.html).toContain('<a href="mailto:jane@mill.example">mail</a>');
  });

  it('is read without deleted documents and documents of other workspaces', async () => {
    const [site] = await search(tenant);
    const documentIds = [...(site?.documentIds ?? []), 999_999_999 as DocumentId];
    const own = recorder();
    const { workspaceId } = tenant;
    await readIndexedSite(own.services, { workspaceId, documentIds }, signal);
    expect(own.pages).toHaveLength(4);
    const theirs = recorder();
    const foreign = { workspaceId: stranger.workspaceId, documentIds };
    expect(await readIndexedSite(theirs.services, foreign, signal)).toEqual([]);
    expect(theirs.pages).toEqual([]);
  });

  it('is read without a page that is too large for the extractor', async () => {
    const [site] = await search(tenant);
    const { services } = recorder(({ url }) => url.endsWith('/kontakt'));
    const { documentIds = [] } = site ?? {};
    const { workspaceId } = tenant;
    const read = await readIndexedSite(services, { workspaceId, documentIds }, signal);
    expect(read).toHaveLength(3);
  });

  it('finds no persons in text without blocks', async () => {
    const flat =
      'Our people Oliver BennettPartner oliver@flat.example Ada HartleyDirector and many more of us';
    await push(tenant, 'https://flat.example/people', 'People', flat);
    await millrace.settled(tenant.key);
    const { rows } = await sql<{ id: DocumentId }>`select id from document
      where external_id = 'https://flat.example/people'`.execute(millrace.services.db);
    const { workspaceId } = tenant;
    const read = await readIndexedSite(
      millrace.services,
      { workspaceId, documentIds: rows.map(({ id }) => id) },
      signal,
    );
    expect(read).toMatchObject([{ isFlat: true }]);
    const cards = read.flatMap((page) => page.cards);
    expect(cards.flatMap(({ emails }) => emails)).toContain('oliver@flat.example');
    expect(cards.filter(({ kind }) => kind === 'person')).toEqual([]);
  });

  it('is abandoned when the scrape is canceled', async () => {
    const [site] = await search(tenant);
    const { documentIds = [] } = site ?? {};
    const { workspaceId } = tenant;
    const canceled = AbortSignal.abort(new Error('canceled'));
    const { services, pages } = recorder();
    await expect(readIndexedSite(services, { workspaceId, documentIds }, canceled)).rejects.toThrow(
      'canceled',
    );
    expect(pages).toEqual([]);
  });
});
