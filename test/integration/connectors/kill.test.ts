// @module-tag processes
// @module-tag database
// @module-tag queues
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { startFixture } from '#test/fixtures/connectors/tracker.ts';
import { openTestProcesses, type TestProcesses } from '#test/support/test-processes.ts';
import { until } from '#test/support/until.ts';

const DOCUMENTS = 20_000;
const PER_PAGE = 100;
/** Documents saved when the worker is killed. */
const MIDDLE = 5_000;
const RESUMED_WITHIN_MS = 60_000;
const RUN_TIMEOUT_MS = 180_000;

interface Run {
  status: string;
  fetched: number;
  accepted: number;
  created: number;
  unchanged: number;
  failed: number;
  resumptions: number;
}

async function readRun({ db }: TestProcesses): Promise<Run | undefined> {
  const { rows } = await sql<Run>`select * from index_attempt`.execute(db);
  expect(rows.length).toBeLessThanOrEqual(1);
  return rows[0];
}

async function linkJira(
  { client }: TestProcesses,
  jira: { settings: object; credential: object },
): Promise<void> {
  const connector = await client.call('POST', '/manage/admin/connector', {
    name: 'Large Jira',
    source: 'tracker',
    input_type: 'poll',
    access_type: 'PUBLIC',
    connector_specific_config: { ...jira.settings, batch_size: PER_PAGE },
    refresh_freq: null,
    prune_freq: null,
  });
  const credential = await client.call('POST', '/manage/credential', {
    credential_json: jira.credential,
    admin_public: true,
    source: 'tracker',
    name: null,
  });
  const path = `/manage/admin/connector/${connector.body.id}/credential/${credential.body.id}`;
  const link = await client.call('PUT', path);
  expect([connector.status, credential.status, link.status]).toEqual([200, 200, 200]);
}

describe.skipIf(process.env['TEST_DATABASE_URL'] === undefined)(
  'a large sync (needs TEST_DATABASE_URL)',
  () => {
    it(
      'resumes by itself when its worker is killed, and fetches at most one page twice',
      { timeout: RUN_TIMEOUT_MS + RESUMED_WITHIN_MS + 60_000 },
      async () => {
        await using jira = await startFixture();
        jira.fill(DOCUMENTS - jira.ids().length, new Date(Date.now() - 86_400_000));
        await using processes = await openTestProcesses(() => ({
          OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
        }));
        await processes.startApi();
        const victim = await processes.startWorkers();
        await linkJira(processes, jira);

        await until(
          async () => ((await readRun(processes))?.fetched ?? 0) >= MIDDLE,
          RUN_TIMEOUT_MS,
        );
        await victim.kill();
        const killed = await readRun(processes);
        expect(killed?.status).toBe('in_progress');
        await processes.startWorkers();

        await until(
          async () => ((await readRun(processes))?.fetched ?? 0) > (killed?.fetched ?? 0),
          RESUMED_WITHIN_MS,
        );
        await until(
          async () => (await readRun(processes))?.status !== 'in_progress',
          RUN_TIMEOUT_MS,
        );
        expect(await readRun(processes)).toMatchObject({
          status: 'success',
          fetched: DOCUMENTS,
          accepted: DOCUMENTS,
          created: DOCUMENTS,
          unchanged: 0,
          failed: 0,
          resumptions: 1,
        });
        const { rows } = await sql<{ documents: number; distinct: number }>`
          select count(*)::int as documents, count(distinct external_id)::int as distinct
          from document`.execute(processes.db);
        expect(rows).toEqual([{ documents: DOCUMENTS, distinct: DOCUMENTS }]);
        const pages = jira.server.requests.filter(
          ({ url, body }) => url.pathname.endsWith('/search/jql') && body.includes('"description"'),
        );
        const distinct = new Set(pages.map(({ body }) => body)).size;
        expect(pages.length - distinct).toBeLessThanOrEqual(1);
        // The crawl moves its window once, which adds one request.
        expect(distinct).toBeLessThanOrEqual(DOCUMENTS / PER_PAGE + 1);
      },
    );
  },
);
