// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { insertPair } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { addUser, openWorkspace, type TestUser } from '#test/support/test-users.ts';

/** More than can be paged through, and than each half of the search finds. */
const DOCUMENTS = 540;
const SECRETS = 30;
const BATCH = 90;

interface Tree {
  id: string;
  source: string;
  team: string;
  isPhrase: boolean;
  hasOak: boolean;
  isHidden: boolean;
}

const TREES: Tree[] = Array.from({ length: DOCUMENTS }, (_, n) => ({
  id: `tree-${n}`,
  source: n % 27 === 0 ? 'web' : n % 2 === 0 ? 'wiki' : 'file',
  team: n % 4 === 0 ? 'garden' : 'wood',
  isPhrase: n % 3 === 0,
  hasOak: n % 5 === 0,
  isHidden: n % 60 === 7,
}));
const VISIBLE = TREES.filter(({ isHidden }) => !isHidden);
const countOf = (fits: (tree: Tree) => boolean) => VISIBLE.filter(fits).length;

let millrace: TestMillrace;
let owner: TestUser;
let reader: TestUser;

beforeAll(async () => {
  millrace = await startTestMillrace();
  owner = await openWorkspace(millrace);
  reader = await addUser(millrace, owner, 'read');
  const { db } = millrace.services;
  const own = await insertPair(db, owner.workspaceId, 'Own', owner.userId);
  const open = await insertPair(db, owner.workspaceId, 'Open', owner.userId);
  await sql`update cc_pair set access_type = 'private' where id = ${own}`.execute(db);
  await push(TREES.map((tree) => asPushed(tree, open)));
  const secrets = Array.from({ length: SECRETS }, (_, n) => ({
    document: {
      id: `secret-${n}`,
      semantic_identifier: `Secret ${n}`,
      source: 'vault',
      sections: [{ text: `Nobody knows of walnut ${n} of the cellar.` }],
      metadata: { secret: 'yes' },
    },
    cc_pair_id: own,
  }));
  await push(secrets);
  for (const [name, pair] of [
    ['Park', open],
    ['Cellar', own],
  ] as const) {
    const set = { name, description: '', cc_pair_ids: [pair] };
    expect((await call('POST', '/manage/admin/document-set', set)).status).toBe(200);
  }
  const hidden = TREES.filter(({ isHidden }) => isHidden).map(({ id }) => id);
  await millrace.settled(owner.key);
  await sql`update document set hidden = true where external_id = any(${hidden}::text[])`.execute(
    db,
  );
});
afterAll(() => millrace[Symbol.asyncDispose]());

async function push(items: object[]): Promise<void> {
  for (let from = 0; from < items.length; from += BATCH) {
    const documents = items.slice(from, from + BATCH);
    const { status, text } = await call('POST', '/service-api/ingestion/batch', { documents });
    expect(status, text).toBe(200);
  }
}

function asPushed({ id, source, team, isPhrase, hasOak }: Tree, pair: number) {
  const n = id.slice('tree-'.length);
  const trees = isPhrase ? `The walnut tree ${n} stands` : `Behind tree ${n} a walnut stands`;
  // Those of the web are long, and so the last ones.
  const filler = source === 'web' ? ' Moss, fern and bramble grow below it.'.repeat(25) : '';
  const text = `${trees} in row ${n}${hasOak ? ' beside an oak' : ''}.${filler}`;
  const document = {
    id,
    semantic_identifier: `Label ${n}`,
    source,
    sections: [{ text }],
    metadata: { team },
  };
  return { document, cc_pair_id: pair };
}

const call = (method: string, path: string, body?: unknown, user: TestUser = owner) =>
  millrace.call(method, path, body, { key: user.key });

async function facetsOf(request: object, user = reader) {
  const answer = await call('POST', '/search', { facets: true, limit: 1, ...request }, user);
  expect(answer.status, answer.text).toBe(200);
  const { facets, total } = answer.body;
  const documents = (name: string) =>
    Object.fromEntries(
      facets[name].map((one: { value?: string; tag_value?: string; documents: number }) => [
        one.value ?? one.tag_value,
        one.documents,
      ]),
    );
  const counts: number[] = facets.source_type.map((one: { count: number }) => one.count);
  return { facets, total, documents, counted: counts.reduce((sum, count) => sum + count, 0) };
}

const bySource = (fits: (tree: Tree) => boolean = () => true) =>
  Object.fromEntries(
    ['web', 'wiki', 'file'].map((source) => [
      source,
      countOf((tree) => tree.source === source && fits(tree)),
    ]),
  );

describe('facets', () => {
  it('count all documents that match, beside those that can be paged through', async () => {
    const { facets, total, documents, counted } = await facetsOf({ query: 'walnut' });
    expect(total).toBe(200);
    expect(counted).toBe(200);
    expect(facets).toMatchObject({ documents: VISIBLE.length, is_exact: true });
    expect(documents('source_type')).toEqual(bySource());
    expect(documents('tags')).toEqual({
      garden: countOf(({ team }) => team === 'garden'),
      wood: countOf(({ team }) => team === 'wood'),
    });
    expect(documents('document_set')).toEqual({ Park: VISIBLE.length });
  });

  it('list a value that no result has', async () => {
    const { facets } = await facetsOf({ query: 'walnut' });
    const web = facets.source_type.at(-1);
    expect(web).toEqual({ value: 'web', count: 0, documents: bySource()['web'] });
  });

  it('have what is private to others for nobody else', async () => {
    const theirs = await facetsOf({ query: 'walnut' });
    expect(JSON.stringify(theirs.facets)).not.toMatch(/vault|secret|Cellar/);
    const own = await facetsOf({ query: 'walnut' }, owner);
    expect(own.facets.documents).toBe(VISIBLE.length + SECRETS);
    expect(own.documents('source_type')).toMatchObject({ vault: SECRETS });
    expect(own.documents('document_set')).toEqual({ Park: VISIBLE.length, Cellar: SECRETS });
  });

  it('count what passes the filters', async () => {
    const { facets, documents } = await facetsOf({
      query: 'walnut',
      search_filters: { source_type: ['wiki', 'web'], tags: { team: 'wood' } },
    });
    const { web, wiki } = bySource(({ team }) => team === 'wood');
    expect(documents('source_type')).toEqual({ web, wiki });
    expect(facets).toMatchObject({ documents: (web ?? 0) + (wiki ?? 0), is_exact: true });
  });

  it.each<[string, (tree: Tree) => boolean]>([
    ['"walnut tree"', ({ isPhrase }) => isPhrase],
    ['walnut -oak', ({ hasOak }) => !hasOak],
    ['"walnut tree" -"beside an oak"', ({ isPhrase, hasOak }) => isPhrase && !hasOak],
    ['walnut -"walnut tree"', ({ isPhrase }) => !isPhrase],
    ['title:label walnut', () => true],
    ['-title:label walnut', () => false],
  ])('of %s count what meets it', async (query, fits) => {
    const { facets, documents } = await facetsOf({ query });
    expect(facets).toMatchObject({ documents: countOf(fits), is_exact: true });
    const expected = Object.entries(bySource(fits)).filter(([, count]) => count > 0);
    expect(documents('source_type')).toEqual(Object.fromEntries(expected));
  });

  it('of a query that names nothing to find are empty', async () => {
    const { facets } = await facetsOf({ query: '-walnut' });
    expect(facets).toEqual({
      documents: 0,
      is_exact: true,
      source_type: [],
      tags: [],
      document_set: [],
    });
  });

  it('say so when there are more tags than are counted', async () => {
    const { db } = millrace.services;
    await sql`update document set tags = tags || (select array_agg('k' || n || '=v') from generate_series(1, 250) n)
      where workspace_id = ${owner.workspaceId}`.execute(db);
    const { facets, documents } = await facetsOf({ query: 'walnut' });
    expect(facets.is_exact).toBe(false);
    expect(documents('source_type')).toEqual(bySource());
    expect(facets.tags).toHaveLength(50);
  });
});
