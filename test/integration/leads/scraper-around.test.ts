// @module-tag database
// @module-tag queues
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import { sweepLeads } from '#src/leads/scrapes/sweep-leads.ts';
import { addDoNotContact } from '#src/outreach/do-not-contact.ts';
import { firmPages, type LeadSite, type SitePage, startLeadSite } from '#test/support/lead-site.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

let millrace: TestMillrace;
let site: LeadSite;

beforeAll(async () => {
  millrace = await startTestMillrace({
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    LEAD_REQUEST_GAP_MS: '0',
  });
  site = await startLeadSite(firmPages('Hartley Coffee', 'hartley.example'));
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

const statusOf = async (id: string) =>
  (await millrace.call('GET', `/tools/lead-scraper/${id}`)).body;
const startAsync = async (body: object): Promise<string> => {
  const headers = { Prefer: 'respond-async' };
  const answer = await millrace.call('POST', '/tools/lead-scraper', body, { headers });
  expect(answer.status).toBe(202);
  return answer.body.scrape_id;
};

describe('around a scrape', () => {
  it('an event reports its end, and points are awarded once', async () => {
    const { db } = millrace.services;
    const { workspaceId, key } = await millrace.createWorkspace();
    const body = { mode: 'scrape_url', query: site.url, max_results: 3 };
    for (let n = 0; n < 2; n += 1) {
      const { status } = await millrace.call('POST', '/tools/lead-scraper', body, { key });
      expect(status).toBe(200);
    }
    await millrace.services.pointsAwarder.idle();
    const points = await millrace.call('GET', '/gamification/status', undefined, { key });
    expect(points.body.points).toBe(50);
    const { rows } = await sql<{ payload: string }>`select payload from webhook_event
      where workspace_id = ${workspaceId} and type = 'lead_scrape.completed'`.execute(db);
    expect(rows.map(({ payload }) => JSON.parse(payload).data)).toEqual([
      expect.objectContaining({ status: 'completed', total_results: 3 }),
    ]);
  });

  it('results leave out everybody on the do-not-contact list', async () => {
    const { db } = millrace.services;
    const { workspaceId, key } = await millrace.createWorkspace();
    const call = (method: string, path: string, body?: object) =>
      millrace.call(method, path, body, { key });
    await call('POST', '/do-not-contact', {
      emails: ['Ada.Hartley@hartley.example', 'info@hartley.example'],
    });
    const { body, text } = await call('POST', '/tools/lead-scraper', {
      mode: 'scrape_url',
      query: site.url,
    });
    expect(body.total_results).toBe(3);
    expect(text).not.toMatch(/Ada Hartley|info@hartley/);
    await addDoNotContact(
      db,
      workspaceId as WorkspaceId,
      [{ kind: 'domain', value: new URL(site.url).host }],
      {
        reason: 'manual',
      },
    );
    const before = site.requests.length;
    const none = await call('POST', '/tools/lead-scraper', {
      mode: 'scrape_url',
      query: site.url,
      max_results: 7,
    });
    expect([none.body.leads, site.requests.length]).toEqual([[], before]);
  });

  it('a workspace has at most fifty unfinished scrapes', async () => {
    const { workspaceId, key } = await millrace.createWorkspace();
    await sql`insert into lead_scrape (id, workspace_id, mode, query, max_results, enrichment, share_key,
        next_attempt_at)
      select gen_random_uuid(), ${workspaceId}, 'keyword_search', 'q', 1, '{}', n::text,
        now() + interval '1 hour' from generate_series(1, 50) n`.execute(millrace.services.db);
    const { status, body, headers } = await millrace.call(
      'POST',
      '/tools/lead-scraper',
      { mode: 'keyword_search', query: 'one more' },
      { key },
    );
    expect([status, body.error_code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
  });

  it('a workspace has four scrapes in progress at a time, and the others follow', async () => {
    const { db } = millrace.services;
    const release = Promise.withResolvers<void>();
    const hold: SitePage = (_request, response) =>
      void release.promise.then(() => response.end('<p>At last.</p>'));
    const slow = await Promise.all(
      Array.from({ length: 6 }, () => startLeadSite({ '/robots.txt': '', '/': hold })),
    );
    const { workspaceId, key } = await millrace.createWorkspace();
    for (const { url } of slow) {
      await millrace.call(
        'POST',
        '/tools/lead-scraper',
        { mode: 'scrape_url', query: url },
        { key, headers: { Prefer: 'respond-async' } },
      );
    }
    const countOf = async (status: string): Promise<number> => {
      const { rows } = await sql`select 1 from lead_scrape
        where workspace_id = ${workspaceId} and status = ${status}`.execute(db);
      return rows.length;
    };
    await until(() =>
      Promise.resolve(slow.filter(({ requests }) => requests.includes('/')).length === 4),
    );
    expect([await countOf('running'), await countOf('queued')]).toEqual([4, 2]);
    release.resolve();
    await until(async () => (await countOf('completed')) === 6);
    for (const site of slow) await site[Symbol.asyncDispose]();
  });

  it('results are deleted after their retention', async () => {
    const { db } = millrace.services;
    const id = await startAsync({ mode: 'scrape_url', query: site.url, max_results: 9 });
    await until(async () => (await statusOf(id)).finished_at !== null);
    const { expires_at, finished_at } = await statusOf(id);
    expect(Date.parse(expires_at) - Date.parse(finished_at)).toBe(30 * 86_400_000);
    await sql`update lead_scrape set finished_at = finished_at - interval '31 days'
      where id = ${id}`.execute(db);
    expect(await sweepLeads(millrace.services, new AbortController().signal)).toBe(1);
    const { rows } = await sql`select 1 from lead where lead_scrape_id = ${id}`.execute(db);
    expect(rows).toEqual([]);
  });
});
