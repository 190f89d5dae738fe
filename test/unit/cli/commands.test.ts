import { describe, expect, test } from 'vitest';
import { runCommand, startFakeService } from '#test/support/fake-service.ts';

const hit = {
  document_id: 'docs/a.md',
  semantic_identifier: 'Retries\u001b[31m',
  link: null,
  source_type: 'file',
  score: 0.87654,
  blurb: 'blurb',
  match_highlights: ['Jobs are <hi>tried</hi> again.'],
  text: 'Jobs are tried again.',
};

describe('search', () => {
  test('prints rank, title, score, link and passage, without terminal control characters', async () => {
    await using service = await startFakeService(() => ({ json: { results: [hit], took_ms: 3 } }));
    const run = await runCommand(
      ['search', 'retry', 'policy', '--limit', '5', '--source', 'file', '--tag', 'team=a=b'],
      { url: service.url },
    );
    expect(run.code).toBe(0);
    expect(run.stdout).toBe('1. Retries  0.877\n   docs/a.md\n   Jobs are tried again.\n\n');
    expect(service.requests[0]).toMatchObject({
      method: 'POST',
      url: '/search',
      body: {
        query: 'retry policy',
        limit: 5,
        search_filters: { source_type: ['file'], tags: { team: 'a=b' } },
      },
    });
  });

  test('prints the whole response as JSON on request', async () => {
    await using service = await startFakeService(() => ({ json: { results: [hit], took_ms: 3 } }));
    const run = await runCommand(['search', 'x', '--json'], { url: service.url });
    expect(JSON.parse(run.stdout)).toEqual({ results: [hit], took_ms: 3 });
  });
});

describe('status', () => {
  const stats = {
    counts: { accepted: 1200, indexing: 34, indexed: 5000, failed: 2, deleting: 0 },
    documents_per_second: 61.25,
    oldest_pending_seconds: 75,
    estimated_seconds_to_drain: 20.2,
  };
  const metrics = `# HELP millrace_queue_jobs Jobs
millrace_queue_jobs{queue="webhook-deliver",state="waiting"} 3
millrace_queue_jobs{queue="document-index",state="active"} 2
millrace_queue_oldest_waiting_seconds{queue="document-index"} 4.2
process_cpu_seconds_total 1
rubbish {{{
`;

  test('shows readiness, documents, backlog and queues', async () => {
    await using service = await startFakeService(({ url }) =>
      url === '/metrics' ? { text: metrics } : { json: stats },
    );
    const run = await runCommand(['status'], { url: service.url });
    expect(run.code).toBe(0);
    expect(run.stdout).toBe(`${service.url}: ready

Documents  1,200 accepted, 34 indexing, 5,000 indexed, 2 failed, 0 deleting
Rate       61.3 documents/s over the last minute
Backlog    1,234 pending, the oldest for 1 min 15 s, about 20 s left

Queue            waiting  active  delayed  failed  completed  oldest waiting
document-index   0        2       0        0       0          4 s
webhook-deliver  3        0       0        0       0          -
`);
  });

  test('shows why the service is not ready, and omits metrics that the key may not read', async () => {
    await using service = await startFakeService(({ url }) => {
      if (url === '/ready') {
        return {
          status: 503,
          json: { error_code: 'SERVICE_UNAVAILABLE', detail: 'The queue is unreachable.' },
        };
      }
      return url === '/metrics' ? { status: 403 } : { json: stats };
    });
    const run = await runCommand(['status'], { url: service.url });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('not ready: The queue is unreachable.');
    expect(run.stdout).toContain('this key may not read /metrics');
  });

  test('--watch repeats it until Ctrl-C', async () => {
    await using service = await startFakeService(({ url }) =>
      url === '/metrics' ? { text: metrics } : { json: stats },
    );
    let rounds = 0;
    const run = await runCommand(['status', '--watch', '5', '--json'], {
      url: service.url,
      onWait: (interrupt) => {
        rounds += 1;
        if (rounds === 3) interrupt.abort();
      },
    });
    expect(run).toMatchObject({ code: 130, waits: [5000, 5000, 5000] });
    expect(run.stdout.trim().split('\n')).toHaveLength(3);
  });
});

describe('keys and workspaces', () => {
  const key = {
    id: 'k1',
    name: 'ci',
    role: 'ingest',
    prefix: 'mr_abcd',
    created_at: '2026-01-01T00:00:00Z',
    expires_at: null,
  };

  test('keys create prints only the key on stdout', async () => {
    await using service = await startFakeService(() => ({
      json: { ...key, key: 'mr_abcd_secret' },
    }));
    const words = ['keys', 'create', '--name', 'ci', '--role', 'ingest', '--expires-in-days', '30'];
    const run = await runCommand(words, { url: service.url });
    expect(run).toMatchObject({ code: 0, stdout: 'mr_abcd_secret\n' });
    expect(service.requests[0]?.body).toEqual({ name: 'ci', role: 'ingest', expires_in_days: 30 });
  });

  test('keys list prints a table', async () => {
    await using service = await startFakeService(() => ({ json: { api_keys: [key], total: 1 } }));
    const run = await runCommand(['keys', 'list'], { url: service.url });
    expect(run.stdout).toContain('k1  ci    ingest  mr_abcd…  2026-01-01T00:00:00Z  never');
  });

  test('keys revoke accepts a response without a body', async () => {
    await using service = await startFakeService(() => ({ text: '' }));
    const run = await runCommand(['keys', 'revoke', 'a/b'], { url: service.url });
    expect(run).toMatchObject({ code: 0, stdout: 'Revoked a/b.\n' });
    expect(service.requests[0]).toMatchObject({ method: 'DELETE', url: '/account/api-keys/a%2Fb' });
  });

  test('workspaces create prints the new key', async () => {
    await using service = await startFakeService(() => ({
      json: { workspace_id: 'w1', api_key: 'mr_w' },
    }));
    const run = await runCommand(['workspaces', 'create', '--name', 'Team', '--plan', 'Pro'], {
      url: service.url,
    });
    expect(run).toMatchObject({ code: 0, stdout: 'mr_w\n' });
    expect(service.requests[0]?.body).toEqual({ name: 'Team', plan_tier: 'Pro' });
  });
});

describe('an empty list', () => {
  const nothing = {
    webhook_endpoints: [],
    webhook_deliveries: [],
    deliveries: [],
    accounts: [],
    do_not_contact: [],
    scrapes: [],
    total: 0,
    next_cursor: null,
  };

  test.each([
    [['webhooks', 'list'], 'There are no endpoints yet: "millrace webhooks create".\n'],
    [['webhooks', 'deliveries'], 'There are no such deliveries.\n'],
    [['email', 'list'], 'There are no sender accounts yet: "millrace email add".\n'],
    [['do-not-contact', 'list'], 'Nobody is on the list.\n'],
    [['leads', 'list'], 'There are no scrapes yet: "millrace leads find".\n'],
  ])('of %j is reported in a sentence', async (words, stdout) => {
    await using service = await startFakeService(() => ({ json: nothing }));
    expect(await runCommand(words, { url: service.url })).toMatchObject({ code: 0, stdout });
  });
});
