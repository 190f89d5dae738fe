// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLive } from '#test/support/read-live.ts';
import {
  createKey,
  ownerOf,
  seedWorkspace,
  type SeededWorkspace,
} from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { sendFiles } from '#test/support/upload-files.ts';

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
  const gone = (topic: string, key = own.adminKey) =>
    readLive(millrace, [topic], key, (events) => 'gone' in (events.get(topic) ?? {}));
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

  it('tell of mailboxes for returned mail what their address answers, to the workspace alone', async () => {
    const list = (await get('/bounce-mailboxes')).body;
    expect(list).toMatchObject({ bounce_mailboxes: [{ id: own.bounceMailboxId }], total: 1 });
    expect(await latest('bounce-mailboxes')).toMatchObject(list);
    expect(await latest('bounce-mailboxes', strangerKey)).toMatchObject({ total: 0 });
    const { key } = await millrace.createWorkspace('Free');
    expect((await get('/live?topics=bounce-mailboxes', key)).status).toBe(403);
  });

  it('tell of a file what its address answers, to its owner alone, until it is deleted', async () => {
    const { body } = await sendFiles(
      millrace,
      '/user/projects/file/upload',
      [['diary.txt', 'The kelp grows.']],
      { key: own.adminKey },
    );
    const { id } = body.user_files[0] as { id: string };
    const topic = `user-file:${id}`;
    const { byTopic } = await readLive(millrace, [topic], own.adminKey, (events) => {
      const { file } = (events.get(topic) ?? {}) as { file?: { status: string } };
      return file?.status === 'COMPLETED';
    });
    const { body: file } = await get(`/user/projects/file/${id}`);
    expect(byTopic.get(topic)).toMatchObject({ file });
    for (const key of [colleagueKey, strangerKey]) {
      expect((await get(`/live?topics=${topic}`, key)).status).toBe(404);
    }
    const deleted = gone(topic);
    await latest(topic);
    await millrace.call('DELETE', `/user/projects/file/${id}`, undefined, { key: own.adminKey });
    expect(Object.keys((await deleted).byTopic.get(topic) ?? {})).toEqual(['at', 'gone']);
    expect((await get(`/live?topics=${topic}`)).status).toBe(404);
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
    const [reader, pusher] = [
      await createKey(millrace, own.adminKey, 'read'),
      await createKey(millrace, own.adminKey, 'ingest'),
    ];
    expect(await latest(topicOf(HARD_ID), reader.key)).toMatchObject({ why: { searchable: true } });
    for (const topic of ['connectors', `connector:${own.linkedPairId}`]) {
      expect((await get(`/live?topics=${topic}`, reader.key)).status).toBe(403);
    }
    const account = `sender-account:${own.emailAccountId}`;
    const { byTopic } = await readLive(millrace, [account, 'bounce-mailboxes'], reader.key);
    expect(byTopic.get(account)).toMatchObject({ account: { id: own.emailAccountId } });
    for (const topic of [account, 'bounce-mailboxes', `user-file:${own.userFileId}`]) {
      expect((await get(`/live?topics=${topic}`, pusher.key)).status).toBe(403);
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
    const ends = gone(topic, colleagueKey);
    await latest(topic, colleagueKey);
    await sql`update cc_pair set access_type = 'private',
        created_by = ${await ownerOf(db, own.workspaceId)}
      where id = ${own.pairId}`.execute(db);
    expect(Object.keys((await ends).byTopic.get(topic) ?? {})).toEqual(['at', 'gone']);
    const address = `/live?topics=${encodeURIComponent(topic)}`;
    expect((await get(address, colleagueKey)).status).toBe(404);
    expect(await latest(topic)).toMatchObject({ document: { status: 'indexed' } });

    const deleted = gone(topic);
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
