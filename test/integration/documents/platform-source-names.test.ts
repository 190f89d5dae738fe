import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkspace, type TestUser } from '#test/support/test-users.ts';
import { insertPair } from '#test/support/seed-workspace.ts';
import { seedConnectors } from '#test/support/seed-connectors.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

/** The published values: a client that meets another one rejects the whole reply. */
const PUBLISHED = new Set(
  `ingestion_api slack web google_drive gmail github gitbook gitlab guru bookstack outline confluence jira slab
  productboard file coda notion zulip linear hubspot document360 gong google_sites zendesk loopio dropbox sharepoint
  teams salesforce discourse axero clickup mediawiki wikipedia asana s3 r2 google_cloud_storage oci_storage xenforo
  not_applicable discord freshdesk fireflies egnyte airtable highspot drupal_wiki imap bitbucket testrail mock_connector
  user_file`.split(/\s+/),
);
/** Our source types and their names under /api. */
const SOURCES = { wiki: 'confluence', rss: 'web', tracker: 'jira', 'crm-of-ours': 'ingestion_api' };

let millrace: TestMillrace;
let admin: TestUser;
let feedId: number;

beforeAll(async () => {
  millrace = await startTestMillrace();
  admin = await openWorkspace(millrace);
  const { db } = millrace.services;
  await seedConnectors(millrace, { ...admin, marker: 'walrus' });
  for (const source of Object.keys(SOURCES)) {
    const pair = await insertPair(db, admin.workspaceId, `Pair of ${source}`, admin.userId);
    await sql`update cc_pair set source = ${source} where id = ${pair}`.execute(db);
    const document = {
      id: source,
      source,
      semantic_identifier: `Walrus in ${source}`,
      sections: [{ text: `The walrus of ${source} sleeps.`, link: `https://w.test/${source}` }],
      // Values written by users are not translated.
      metadata: { source, animal: 'walrus' },
    };
    await ok('POST', '/service-api/ingestion', { document, cc_pair_id: pair });
    await ok('POST', '/manage/admin/document-set', {
      name: `Set of ${source}`,
      description: '',
      cc_pair_ids: [pair],
    });
  }
  const feed = await ok('POST', '/manage/admin/connector', FEED);
  feedId = feed.id;
  await ok('POST', '/manage/credential', { source: 'rss', credential_json: {}, name: 'Feed' });
  await millrace.settled(admin.key);
});
afterAll(() => millrace[Symbol.asyncDispose]());

const FEED = {
  name: 'Feed',
  source: 'rss',
  input_type: 'poll',
  access_type: 'public',
  connector_specific_config: { feed_url: 'https://walrus.test/feed.xml' },
};

async function ok(method: string, path: string, body?: unknown) {
  const answer = await millrace.call(method, path, body, { key: admin.key });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  return answer.body ?? answer.text;
}

/** Every source type anywhere in a reply, except in values that users have written. */
function sourcesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) => {
    if (['metadata', 'connector_specific_config', 'credential_json'].includes(name)) return [];
    if (['source', 'source_type'].includes(name) && typeof part === 'string') return [part];
    if (name === 'sources' && Array.isArray(part)) return part.map(String);
    return sourcesIn(part);
  });
}

const search = { query: 'walrus' };
const ask = { message: 'Where does the walrus sleep?', stream: false };
const REPLIES: [string, string, object?][] = [
  ['POST', '/chat/send-chat-message', ask],
  ['POST', '/search', search],
  ['POST', '/search/send-search-message', { search_query: 'walrus' }],
  ['POST', '/admin/search', search],
  ['GET', '/service-api/ingestion'],
  ['GET', '/service-api/ingestion/rss'],
  ['GET', '/query/valid-tags'],
  ['GET', '/manage/indexed-sources'],
  ['GET', '/manage/connector-status'],
  ['GET', '/manage/admin/connector'],
  ['GET', '/manage/admin/connector/status'],
  ['POST', '/manage/admin/connector/indexing-status', {}],
  ['GET', '/manage/document-set'],
  ['GET', '/manage/credential'],
];

describe('source types', () => {
  it.each(REPLIES)(
    'of %s %s have published names under /api and ours elsewhere',
    async (...call) => {
      const [method, path, body] = call;
      const ours = sourcesIn(await ok(method, path, body));
      expect(ours.filter((source) => !PUBLISHED.has(source)).length, path).toBeGreaterThan(0);
      const theirs = sourcesIn(await ok(method, `/api${path}`, body));
      expect(theirs.length, path).toBeGreaterThan(0);
      expect(theirs.filter((source) => !PUBLISHED.has(source))).toEqual([]);
    },
  );

  it('in streams under /api have published names', async () => {
    const lines = await ok('POST', '/api/chat/send-chat-message', { ...ask, stream: true });
    const theirs = String(lines)
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line) => sourcesIn(JSON.parse(line)));
    expect(theirs.length).toBeGreaterThan(0);
    expect(theirs.filter((source) => !PUBLISHED.has(source))).toEqual([]);
  });

  it('with the same name under /api are listed once', async () => {
    await ok('POST', '/service-api/ingestion', {
      document: {
        id: 'page',
        source: 'web',
        semantic_identifier: 'Walrus on the web',
        sections: [{ text: 'The walrus of the web sleeps.' }],
        metadata: { animal: 'walrus' },
      },
    });
    await millrace.settled(admin.key);
    const { sources } = await ok('GET', '/api/manage/indexed-sources');
    expect(new Set(sources).size).toBe(sources.length);
    const { tags } = await ok('GET', '/api/query/valid-tags?match_pattern=animal');
    const named = tags.map(({ source }: { source: string }) => source);
    expect(named.toSorted()).toEqual(['confluence', 'ingestion_api', 'jira', 'web']);
  });

  it('in values written by users stay as they are', async () => {
    const { results } = await ok('POST', '/api/search', search);
    const found = results.find((hit: { document_id: string }) => hit.document_id === 'wiki');
    expect([found.source_type, found.metadata.source]).toEqual(['confluence', 'wiki']);
  });
});

describe('a filter under /api', () => {
  const idsOf = (documents: { document_id: string }[]): string[] =>
    documents.map(({ document_id }) => document_id);

  it.each([
    ['rss', 'rss'],
    ['web', 'rss'],
    ['wiki', 'wiki'],
    ['confluence', 'wiki'],
    ['tracker', 'tracker'],
    ['jira', 'tracker'],
  ])('by %s finds documents stored as %s', async (name, id) => {
    const filtered = { ...search, search_filters: { source_type: [name] } };
    expect(idsOf((await ok('POST', '/api/search', filtered)).results)).toContain(id);
    const listed = await ok('GET', `/api/service-api/ingestion?source=${name}`);
    expect(idsOf(listed.documents)).toContain(id);
    const status = await ok('POST', '/api/manage/admin/connector/indexing-status', {
      source: name,
      get_all_connectors: true,
    });
    expect(status).toHaveLength(Math.min(status.length, 1));
  });
});

describe('a client under /api that sends back what it was shown', () => {
  it('changes a feed without changing its kind', async () => {
    const shown = await ok('GET', `/api/manage/connector/${feedId}`);
    expect(shown.source).toBe('web');
    const sent = { ...FEED, source: shown.source, name: 'Renamed' };
    const changed = await ok('PATCH', `/api/manage/admin/connector/${feedId}`, sent);
    expect([changed.source, changed.name]).toEqual(['web', 'Renamed']);
    expect((await ok('GET', `/manage/connector/${feedId}`)).source).toBe('rss');
  });

  it('finds the credentials of a feed under the name that it knows', async () => {
    const similar = await ok('GET', '/api/manage/admin/similar-credentials/web');
    expect(similar.map(({ name }: { name: string }) => name)).toContain('Feed');
    expect(await ok('GET', '/manage/admin/similar-credentials/web')).toEqual([]);
  });
});
