// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { askTurn, beginTurns } from '#src/chat/turns/begin-turns.ts';
import { endTurn, finishTurns } from '#src/chat/turns/finish-turns.ts';
import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import { insertSession } from '#src/chat/turns/insert-session.ts';
import { followRun } from '#src/chat/runs/follow-run.ts';
import { stopRuns } from '#src/chat/runs/stop-run.ts';
import { claimUserFile } from '#src/chat/user-files/claim-user-file.ts';
import { claimRun } from '#src/connectors/runs/claim-run.ts';
import { type PageOutcome, savePage } from '#src/connectors/runs/save-page.ts';
import {
  hasPrivatePairsOfOthers,
  mayChangeDocument,
  privateToOthers,
  writerValues,
} from '#src/documents/document-access.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { claimMessage } from '#src/email/claim-message.ts';
import { sweepMessages } from '#src/email/sweep-messages.ts';
import type { CcPairId, LeadScrapeId, UserFileId, UserId } from '#src/ids.ts';
import { claimScrape } from '#src/leads/scrapes/claim-scrape.ts';
import { startScrape } from '#src/leads/scrapes/start-scrape.ts';
import { sweepLeads } from '#src/leads/scrapes/sweep-leads.ts';
import { addDoNotContact, blockedDomains, blockedEmails } from '#src/outreach/do-not-contact.ts';
import { LeaseLost } from '#src/platform/keep-lease.ts';
import type { Services } from '#src/services.ts';
import { claimEndpoints } from '#src/webhooks/claim-endpoint.ts';
import { disableEndpoint } from '#src/webhooks/disable-endpoint.ts';
import { insertAccount, NEVER, submit } from '#test/support/email-rows.ts';
import { silentDns } from '#test/support/email-stage.ts';
import { createFakeMailer } from '#test/support/fake-mailer.ts';
import { insertUserFile } from '#test/support/project-rows.ts';
import { insertPair, ownerOf } from '#test/support/seed-workspace.ts';
import {
  insertLinkedPair,
  openTestServices,
  type TestServices,
} from '#test/support/test-services.ts';
import { insertEndpoint } from '#test/support/webhook-rows.ts';

let test: TestServices;
let services: Services;
let owner: ChatOwner;
let stranger: ChatOwner;
beforeAll(async () => {
  test = await openTestServices();
  services = { ...test.services, mailer: createFakeMailer(), dns: silentDns };
  const { workspaceId } = test;
  owner = { workspaceId, userId: (await ownerOf(services.db, workspaceId)) as UserId };
  stranger = await createWorkspace(services.db, { name: 'Another', planTier: 'Enterprise' });
  await sql`update workspace set plan_tier = 'Enterprise'`.execute(services.db);
});
afterAll(() => test[Symbol.asyncDispose]());

function accept(id: string, ccPairId?: CcPairId) {
  const item = ingestionItemSchema.parse({
    document: { id, semantic_identifier: id, sections: [{ text: `Text of ${id}.` }] },
    ...(ccPairId === undefined ? {} : { cc_pair_id: ccPairId }),
  });
  const context = { workspaceId: test.workspaceId, writer: null, requestId: null, maxBytes: 1e6 };
  return services.documentAcceptor.accept(toIncomingDocument(item, context));
}

describe('documents', () => {
  it.each(['failed', 'deleting'])(
    'that are %s are accepted again when sent again unchanged',
    async (status) => {
      await accept('failed');
      await sql`update document set status = ${status}, error = 'No luck.', attempts = 5
      where external_id = 'failed'`.execute(services.db);
      await accept('failed');
      const { rows } = await sql`select status, error, attempts from document
      where external_id = 'failed'`.execute(services.db);
      expect(rows).toEqual([{ status: 'accepted', error: null, attempts: 0 }]);
    },
  );

  it('that are edited while they are indexed are taken from their worker', async () => {
    await accept('edited');
    await sql`update document set status = 'indexing', claim_token = gen_random_uuid(),
      claimed_until = now() + interval '1 minute', content_hash = '' where external_id = 'edited'`.execute(
      services.db,
    );
    await accept('edited');
    const { rows } = await sql`select status, claim_token, claimed_until from document
      where external_id = 'edited'`.execute(services.db);
    expect(rows).toEqual([{ status: 'accepted', claim_token: null, claimed_until: null }]);
  });

  it('of a colleague’s pair can be changed by admins, not by members', async () => {
    const { workspaceId, userId } = owner;
    const pair = (await insertPair(services.db, workspaceId, 'Shelf', userId)) as CcPairId;
    await accept('shelved', pair);
    const mayChange = async (by: UserId, role: 'admin' | 'member') => {
      const { rows } = await sql`select 1 from document d where external_id = 'shelved'
        and ${mayChangeDocument('d', writerValues({ userId: by, role }))}`.execute(services.db);
      return rows.length === 1;
    };
    expect(await mayChange(userId, 'member')).toBe(true);
    expect(await mayChange(stranger.userId, 'admin')).toBe(true);
    expect(await mayChange(stranger.userId, 'member')).toBe(false);
  });

  it('of a private pair without an owner are visible to nobody', async () => {
    const { workspaceId, userId } = owner;
    const pair = (await insertPair(services.db, workspaceId, 'Orphan', userId)) as CcPairId;
    await accept('orphan', pair);
    expect(await hasPrivatePairsOfOthers(services.db, workspaceId, userId)).toBe(false);
    await sql`update cc_pair set access_type = 'PRIVATE', created_by = null where id = ${pair}`.execute(
      services.db,
    );
    expect(await hasPrivatePairsOfOthers(services.db, workspaceId, userId)).toBe(true);
    const { rows } = await sql`select external_id from document
      where id in (${privateToOthers(workspaceId, userId)})`.execute(services.db);
    expect(rows).toEqual([{ external_id: 'orphan' }]);
  });
});

describe('a run that its worker no longer holds', () => {
  const outcome = (): PageOutcome => ({
    accepted: [],
    created: 0,
    unchanged: [],
    skipped: [],
    notes: [],
    failures: [],
    removed: [],
    stored: [],
  });
  const facts = { memory: [], description: 'A page', estimatedTotal: null };

  it.each([
    ['was canceled', sql`status = 'canceled'`],
    ['was taken over', sql`claim_token = gen_random_uuid()`],
  ])('because it %s saves no page', async (_, change) => {
    const settings = { base_url: 'https://example.com/' };
    const pair = await insertLinkedPair(test, { source: 'web', settings, credential: null });
    const run = await claimRun(services, pair);
    if (run === null) throw new Error('No run was claimed.');
    const save = () =>
      savePage(services.db, run, outcome(), facts, {
        checkpoint: { value: 1 },
        mayRepeat: false,
        now: services.clock(),
      });
    await save();
    await sql`update index_attempt set ${change} where id = ${run.id}`.execute(services.db);
    await expect(save()).rejects.toThrow(LeaseLost);
    const { rows } = await sql`select pages from index_attempt where id = ${run.id}`.execute(
      services.db,
    );
    expect(rows).toEqual([{ pages: 1 }]);
  });
});

describe('an endpoint', () => {
  it('that its owner has changed meanwhile is not disabled for earlier failures', async () => {
    const { id } = await insertEndpoint(services, test.workspaceId, 'https://example.com/hook');
    const disable = (version: number) =>
      services.db
        .transaction()
        .execute((trx) =>
          disableEndpoint(trx, id, { reason: 'Gone.', at: new Date(), byOwner: true, version }),
        );
    expect(await disable(1)).toBeNull();
    const { rows } = await sql<{ version: number }>`
      select extract(epoch from updated_at)::float8 as version from webhook_endpoint
      where id = ${id} and enabled`.execute(services.db);
    expect(await disable(rows[0]?.version ?? 0)).toEqual([]);
  });

  it('that is disabled or deleted is given to no worker', async () => {
    const { id } = await insertEndpoint(services, test.workspaceId, 'https://example.com/off');
    await sql`update webhook_endpoint set enabled = false where id = ${id}`.execute(services.db);
    expect(await claimEndpoints(services.db, [id])).toEqual([null]);
    await sql`update webhook_endpoint set enabled = true, deleted_at = now() where id = ${id}`.execute(
      services.db,
    );
    expect(await claimEndpoints(services.db, [id])).toEqual([null]);
  });
});

describe('a chat session', () => {
  const now = new Date();
  async function ask(asker: ChatOwner) {
    const options = { agentId: null, projectId: null, title: null, now };
    const { sessionId, rootId } = await services.db
      .transaction()
      .execute((trx) => insertSession(trx, owner, options));
    const place = { sessionId, parentId: rootId, answered: null, history: [] };
    const settings = { agentId: null, projectId: null };
    const turn = askTurn(asker, { place, settings, message: 'Why?', files: [], now });
    const [begun] = await beginTurns(services.db, [turn]);
    return begun;
  }
  const finish = (
    by: ChatOwner,
    messageId: number,
    content: string,
    rows: 'all' | 'unfinished' = 'all',
  ) => {
    const rest = { reasoning: null, documents: null, packets: [], isClarification: false };
    const ended = { content, citations: {}, model: null, durationMs: 1, error: null, now, ...rest };
    return finishTurns(services.db, [endTurn(by, messageId, ended)], rows);
  };
  const contentOf = async (id: number) => {
    const { rows } = await sql<{ content: string }>`
      select content from chat_message where id = ${id}`.execute(services.db);
    return rows[0]?.content;
  };

  it('accepts no question from a stranger', async () => {
    expect((await ask(stranger))?.status).toBe('rejected');
    expect((await ask(owner))?.status).toBe('fulfilled');
    const colleague = { ...stranger, workspaceId: owner.workspaceId };
    expect((await ask(colleague))?.status).toBe('rejected');
  });

  it('accepts an answer from its owner only, and a sweep does not overwrite it', async () => {
    const turn = await ask(owner);
    if (turn?.status !== 'fulfilled') throw new Error('The turn was rejected.');
    const id = turn.value.assistantMessageId;
    await finish({ ...stranger, workspaceId: owner.workspaceId }, id, 'Of a colleague.');
    expect(await contentOf(id)).toBe('');
    await finish(owner, id, 'The whole answer.');
    await finish(owner, id, 'It broke off.', 'unfinished');
    expect(await contentOf(id)).toBe('The whole answer.');
  });

  it('can be stopped only by its owner, whichever process writes the answer', async () => {
    const turn = await ask(owner);
    if (turn?.status !== 'fulfilled') throw new Error('The turn was rejected.');
    const { sessionId, assistantMessageId: id } = turn.value;
    const colleague = { ...stranger, workspaceId: owner.workspaceId };
    for (const other of [stranger, colleague])
      await expect(stopRuns(services, other, sessionId)).rejects.toThrow(
        'There is no chat session',
      );
    const asked = () =>
      sql`select 1 from chat_run where chat_message_id = ${id} and stop_requested_at is not null`.execute(
        services.db,
      );
    expect((await asked()).rows).toEqual([]);
    await stopRuns(services, owner, sessionId);
    expect((await asked()).rows).toHaveLength(1);
  });

  it('whose answer another process wrote can be followed only by its owner, each line once', async () => {
    const turn = await ask(owner);
    if (turn?.status !== 'fulfilled') throw new Error('The turn was rejected.');
    const { sessionId, assistantMessageId: id } = turn.value;
    const line = (type: string, content = '') => ({
      placement: { turn_index: 0 },
      obj: { type, content },
    });
    const lines = ['a', 'b', 'c', 'd'].map((text) => line('message_delta', text));
    await sql`insert into chat_run_part (chat_message_id, first_line, lines)
      values (${id}, 0, ${JSON.stringify(lines.slice(0, 3))}::json),
        (${id}, 3, ${JSON.stringify([lines[3], line('stop')])}::json)`.execute(services.db);
    const follow = (by: ChatOwner, cursor: number) =>
      followRun(services, by, { sessionId, cursor, signal: NEVER });
    for (const cursor of [0, 1, 2, 3]) {
      const seen = await Array.fromAsync(await follow(owner, cursor));
      expect(seen).toEqual([...lines, line('stop')].slice(cursor));
    }
    for (const other of [stranger, { ...stranger, workspaceId: owner.workspaceId }])
      await expect(follow(other, 0)).rejects.toThrow('no answer to follow');
  });

  it('has files that are read by one worker at a time', async () => {
    const id = (await insertUserFile({ services }, owner, 'PROCESSING')) as UserFileId;
    expect(await claimUserFile(services.db, id, 2)).toMatchObject({ id });
    expect(await claimUserFile(services.db, id, 2)).toBeNull();
  });
});

describe('outreach', () => {
  it('spares hosts and addresses below a do-not-contact domain', async () => {
    const { workspaceId } = test;
    const entry = { kind: 'domain', value: 'closed.test' } as const;
    await addDoNotContact(services.db, workspaceId, [entry], { reason: 'manual' });
    expect(
      await blockedDomains(services.db, workspaceId, [
        'closed.test',
        'www.closed.test',
        'other.test',
      ]),
    ).toEqual(new Set(['closed.test', 'www.closed.test']));
    expect(
      await blockedEmails(services.db, workspaceId, ['a@mail.closed.test', 'a@other.test']),
    ).toEqual(new Set(['a@mail.closed.test']));
  });

  it('gives a message to one worker, once it is due', async () => {
    const account = await insertAccount(services, test.workspaceId);
    const id = await submit(services, account);
    await sql`update email_message set next_attempt_at = now() + interval '1 minute'
      where id = ${id}`.execute(services.db);
    expect(await claimMessage(services.db, id)).toBeNull();
    await sql`update email_message set next_attempt_at = now() where id = ${id}`.execute(
      services.db,
    );
    expect(await claimMessage(services.db, id)).toMatchObject({ id });
    expect(await claimMessage(services.db, id)).toBeNull();
    await sql`update email_message set status = 'sent', finished_at = now()`.execute(services.db);
    expect(await sweepMessages(services, NEVER)).toBe(0);
    await sql`update email_message set finished_at = now() - interval '9 years'`.execute(
      services.db,
    );
    expect(await sweepMessages(services, NEVER)).toBe(1);
  });

  it('runs four scrapes of a workspace at once, and keeps recent ones', async () => {
    const asker = { ...owner, isFreshWanted: true, requestId: 'request-of-a-test' };
    const ids: LeadScrapeId[] = [];
    for (const query of ['one', 'two', 'three', 'four', 'five']) {
      const order = {
        mode: 'keyword_search' as const,
        query,
        urls: null,
        maxResults: 10,
        enrichment: [],
      };
      ids.push(await startScrape(services, order, asker));
    }
    const claims = [];
    for (const id of ids) claims.push(await claimScrape(services.db, id));
    expect(claims.map((claim) => claim !== null)).toEqual([true, true, true, true, false]);
    await sql`update lead_scrape set status = 'completed', finished_at = now()`.execute(
      services.db,
    );
    expect(await sweepLeads(services, NEVER)).toBe(0);
    await sql`update lead_scrape set finished_at = now() - interval '9 years'`.execute(services.db);
    expect(await sweepLeads(services, NEVER)).toBe(5);
  });
});
