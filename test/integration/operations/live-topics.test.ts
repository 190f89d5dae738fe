// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLive } from '#test/support/read-live.ts';
import { ownerOf, seedWorkspace, type SeededWorkspace } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

/** It holds what parts topics, and what parts a topic from its id. */
const HARD_ID = 'a, b:c/d 100 %';

describe('the live topics of a workspace', () => {
  let millrace: TestMillrace;
  let own: SeededWorkspace;
  let strangerKey: string;
  /** Another admin of the workspace. */
  let colleagueKey: string;

  beforeAll(async () => {
    millrace = await startTestMillrace();
    own = await seedWorkspace(millrace, 'kelp');
    strangerKey = (await millrace.createWorkspace()).key;
    const colleague = { display_name: 'Colleague', role: 'admin' };
    const { body } = await millrace.call('POST', '/account/members', colleague, {
      key: own.adminKey,
    });
    colleagueKey = body.api_key;
    await push(HARD_ID, own.pairId);
    await millrace.settled(own.adminKey);
  });
  afterAll(() => millrace[Symbol.asyncDispose]());

  const get = (path: string, key = own.adminKey) => millrace.call('GET', path, undefined, { key });
  const push = (id: string, pair: number) =>
    millrace.call(
      'POST',
      '/service-api/ingestion',
      {
        document: { id, semantic_identifier: 'Kelp', sections: [{ text: 'Kelp is an alga.' }] },
        cc_pair_id: pair,
      },
      { key: own.adminKey },
    );
  const topicOf = (id: string): string => `document:${encodeURIComponent(id)}`;
  const latest = async (topic: string, key = own.adminKey) =>
    (await readLive(millrace, [topic], key)).byTopic.get(topic);

  it('tell what their addresses answer', async () => {
    const pair = `/manage/admin/cc-pair/${own.linkedPairId}`;
    const document = encodeURIComponent(HARD_ID);
    const [list, connector, runs, errors, prunes, status, why] = await Promise.all(
      [
        '/manage/admin/connector/status',
        pair,
        `${pair}/index-attempts`,
        `${pair}/errors`,
        `${pair}/prune-attempts?page_size=1`,
        `/service-api/ingestion/${document}`,
        `/documents/${document}/why`,
      ].map(async (path) => (await get(path)).body),
    );
    const topics = ['connectors', `connector:${own.linkedPairId}`, topicOf(HARD_ID)];
    const { byTopic } = await readLive(millrace, topics, own.adminKey);
    expect(topics.map((topic) => byTopic.get(topic))).toMatchObject([
      { connectors: list },
      { connector, runs, errors, prunes },
      { document: status, why },
    ]);
    expect(runs.items).toHaveLength(1);
    expect(errors.items).toHaveLength(1);
    expect(list).toHaveLength(1);
  });

  it('tell of scrapes and sender accounts what their addresses answer, to the workspace alone', async () => {
    const list = (await get('/tools/lead-scraper')).body;
    const { accounts } = (await get('/email-accounts')).body;
    const [scrapeId, accountId] = [list.scrapes[0].scrape_id, accounts[0].id] as string[];
    const scrape = (await get(`/tools/lead-scraper/${scrapeId}`)).body;
    const account = (await get(`/email-accounts/${accountId}`)).body;
    const messages = (await get(`/email-messages?email_account_id=${accountId}`)).body;
    expect([scrape.leads.length, messages.messages.length]).not.toContain(0);
    const topics = ['leads', `scrape:${scrapeId}`, `sender-account:${accountId}`];
    const { byTopic } = await readLive(millrace, topics, own.adminKey);
    expect(topics.map((topic) => byTopic.get(topic))).toMatchObject([
      list,
      { scrape },
      { account, ...messages },
    ]);
    for (const topic of topics.slice(1)) {
      expect((await get(`/live?topics=${topic}`, strangerKey)).status).toBe(404);
    }
    expect(await latest('leads', strangerKey)).toMatchObject({ scrapes: [] });
  });

  it('tell nothing to other workspaces', async () => {
    for (const topic of [`connector:${own.linkedPairId}`, topicOf(HARD_ID)]) {
      expect((await get(`/live?topics=${encodeURIComponent(topic)}`, strangerKey)).status).toBe(
        404,
      );
    }
    expect(await latest('connectors', strangerKey)).toMatchObject({ connectors: [] });
  });

  it('need the role that the addresses need', async () => {
    const { body: reader } = await millrace.call(
      'POST',
      '/account/api-keys',
      { name: 'reader', role: 'read' },
      { key: own.adminKey },
    );
    expect(await latest(topicOf(HARD_ID), reader.key)).toMatchObject({ why: { searchable: true } });
    const { accounts } = (await get('/email-accounts')).body;
    const adminTopics = [
      'connectors',
      `connector:${own.linkedPairId}`,
      `sender-account:${accounts[0].id}`,
    ];
    for (const topic of adminTopics) {
      expect((await get(`/live?topics=${topic}`, reader.key)).status).toBe(403);
    }
  });

  it('tell failures of a private connector to its owner alone, also while both look', async () => {
    const { db } = millrace.services;
    await sql`update cc_pair set access_type = 'private',
        created_by = ${await ownerOf(db, own.workspaceId)}
      where id = ${own.linkedPairId}`.execute(db);
    const topic = `connector:${own.linkedPairId}`;
    const [told, untold] = await Promise.all([latest(topic), latest(topic, colleagueKey)]);
    expect(JSON.stringify(told)).toContain('lost-kelp');
    expect(JSON.stringify(untold)).not.toContain('lost-kelp');
    expect(untold).toMatchObject({ errors: { total_items: 1 } });
  });

  it('tell of a document no more once it is private to somebody else, or deleted', async () => {
    const { db } = millrace.services;
    const topic = topicOf(HARD_ID);
    const ends = readLive(
      millrace,
      [topic],
      colleagueKey,
      (events) => 'gone' in (events.get(topic) ?? {}),
    );
    await latest(topic, colleagueKey);
    await sql`update cc_pair set access_type = 'private',
        created_by = ${await ownerOf(db, own.workspaceId)}
      where id = ${own.pairId}`.execute(db);
    expect(Object.keys((await ends).byTopic.get(topic) ?? {})).toEqual(['at', 'gone']);
    const address = `/live?topics=${encodeURIComponent(topic)}`;
    expect((await get(address, colleagueKey)).status).toBe(404);
    expect(await latest(topic)).toMatchObject({ document: { status: 'indexed' } });

    const deleted = readLive(
      millrace,
      [topic],
      own.adminKey,
      (events) => 'gone' in (events.get(topic) ?? {}),
    );
    await latest(topic);
    await millrace.call(
      'DELETE',
      `/service-api/ingestion/${encodeURIComponent(HARD_ID)}`,
      undefined,
      { key: own.adminKey },
    );
    expect((await deleted).byTopic.get(topic)).toHaveProperty('gone', true);
  });
});
