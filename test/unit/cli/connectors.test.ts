import { describe, expect, test } from 'vitest';
import {
  type FakeAnswer,
  runCommand,
  type SeenRequest,
  startFakeService,
} from '#test/support/fake-service.ts';

const pair = {
  cc_pair_id: 2,
  name: 'Handbook\u001b[31m',
  connector: { source: 'web' },
  cc_pair_status: 'PAUSED',
  status_reason: 'The source does not accept the credential.',
  indexing: false,
  docs: { indexed: 1_204, pending: 3, failed: 1 },
  last_index_attempt_status: 'failed',
  next_run: null,
};

const attempt = {
  id: 7,
  status: 'in_progress',
  fetched: 120,
  accepted: 100,
  created: 90,
  unchanged: 15,
  skipped: 4,
  skip_reasons: { 'no text': 4 },
  failed: 1,
  removed: 2,
  error_msg: null,
  checkpoint_description: '120 of about 400 pages',
  waiting_for: null,
  waiting_until: null,
  estimated_total: 400,
  documents_per_minute: 1_200.4,
  estimated_seconds_left: 14,
  time_finished: null,
};
const finished = { ...attempt, status: 'success', time_finished: '2026-01-01T00:00:00.000Z' };

/** Answers by method and path, and with 404 to anything else. */
function script(answers: Record<string, FakeAnswer | ((n: number) => FakeAnswer)>) {
  const seen = new Map<string, number>();
  return ({ method, url }: SeenRequest): FakeAnswer => {
    const name = `${method} ${url.split('?')[0]}`;
    const answer = answers[name];
    const n = seen.get(name) ?? 0;
    seen.set(name, n + 1);
    const missing = { status: 404, json: { error_code: 'NOT_FOUND', detail: `No ${name}.` } };
    return typeof answer === 'function' ? answer(n) : (answer ?? missing);
  };
}

describe('connectors list', () => {
  test('prints one line per pair, without terminal control characters', async () => {
    await using service = await startFakeService(
      script({ 'GET /manage/admin/connector/status': { json: [pair] } }),
    );
    const run = await runCommand(['connectors', 'list'], { url: service.url });
    expect(run.code).toBe(0);
    expect(run.stdout.split('\n')[1]).toMatch(/^2 +Handbook +web +PAUSED +failed +1,204 +3 +1 +-$/);
  });
});

describe('connectors create', () => {
  const words = (...more: string[]) =>
    'connectors create --source jira --name Issues --refresh 3600'
      .split(' ')
      .concat('--config', '{"jira_base_url":"https://jira.test"}')
      .concat('--credential-json', '{"jira_api_token":"secret-token"}', more);
  const created = {
    'POST /manage/admin/connector': { json: { id: 5, credential: null } },
    'POST /manage/credential': { json: { id: 6, credential: {} } },
  };

  test('creates connector and credential, links them and watches the first run', async () => {
    await using service = await startFakeService(
      script({
        ...created,
        'PUT /manage/admin/connector/5/credential/6': {
          json: { success: true, message: 'Linked', data: 2 },
        },
        'GET /manage/admin/cc-pair/2/index-attempts': (n) => ({
          json: { items: n === 0 ? [] : n < 3 ? [attempt] : [finished], total_items: 1 },
        }),
      }),
    );
    const run = await runCommand(words(), { url: service.url });
    expect(run.code).toBe(0);
    expect(run.stdout).toBe(
      'Created connector 5, linked as pair 2.\nsuccess: 120 fetched = 100 accepted (90 new) + 15 unchanged + 4 skipped + 1 failed; 2 removed\n',
    );
    expect(run.stderr).toContain('waiting for a worker');
    expect(service.requests[0]?.body).toMatchObject({
      source: 'jira',
      connector_specific_config: { jira_base_url: 'https://jira.test' },
      refresh_freq: 3_600,
      prune_freq: null,
    });
  });

  test('leaves nothing behind when the source cannot be reached, and prints the error', async () => {
    await using service = await startFakeService(
      script({
        ...created,
        'PUT /manage/admin/connector/5/credential/6': {
          status: 400,
          json: { error_code: 'BAD_REQUEST', detail: 'Connector validation error: no such host.' },
        },
        'DELETE /manage/admin/connector/5': { json: {} },
        'DELETE /manage/credential/6': { json: {} },
      }),
    );
    const run = await runCommand(words(), { url: service.url });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('no such host');
    const deleted = service.requests.filter(({ method }) => method === 'DELETE');
    expect(deleted.map(({ url }) => url).toSorted()).toEqual([
      '/manage/admin/connector/5',
      '/manage/credential/6',
    ]);
    expect(run.stdout + run.stderr).not.toContain('secret-token');
  });

  test.each([
    ['--config', 'no json'],
    ['--config', '[1]'],
    ['--refresh', '10'],
  ])('rejects %s %s as invalid', async (option, value) => {
    const run = await runCommand(words(option, value), { url: 'http://127.0.0.1:9' });
    expect(run.code).toBe(2);
  });
});

describe('connectors run', () => {
  test('follows the run it started, and fails when the run fails', async () => {
    const failed = { ...finished, status: 'failed', error_msg: 'There is no project ABC.' };
    await using service = await startFakeService(
      script({
        'POST /manage/admin/cc-pair/2/run': { json: { success: true, message: '', data: 7 } },
        'GET /manage/admin/cc-pair/2/index-attempts/7': (n) => ({
          json: n === 0 ? attempt : failed,
        }),
      }),
    );
    const run = await runCommand(['connectors', 'run', '2', '--from-beginning'], {
      url: service.url,
    });
    expect(run.code).toBe(1);
    expect(service.requests[0]?.body).toEqual({ from_beginning: true });
    expect(run.stderr).toContain(
      '120 of about 400 fetched, 1 failed, 1,200/min, about 14 s left (120 of about 400 pages)',
    );
    expect(run.stdout).toContain('There is no project ABC.');
  });

  test('says what a run is waiting for', async () => {
    const waiting = { ...attempt, waiting_for: 'jira.test answered 503.', waiting_until: '12:00' };
    await using service = await startFakeService(
      script({
        'POST /manage/admin/cc-pair/2/run': { json: { success: true, message: '', data: 7 } },
        'GET /manage/admin/cc-pair/2/index-attempts/7': (n) => ({
          json: n === 0 ? waiting : finished,
        }),
      }),
    );
    const run = await runCommand(['connectors', 'run', '2'], { url: service.url });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('waiting until 12:00: jira.test answered 503.');
  });
});

describe('connectors status', () => {
  test('shows documents, the last run, the reason for a pause and what failed', async () => {
    const { cc_pair_id: id, cc_pair_status: status, ...detail } = pair;
    await using service = await startFakeService(
      script({
        'GET /manage/admin/cc-pair/2': { json: { ...detail, id, status } },
        'GET /manage/admin/cc-pair/2/index-attempts': { json: { items: [finished] } },
        'GET /manage/admin/cc-pair/2/errors': {
          json: {
            items: [{ document_id: 'https://a/1', entity_id: null, failure_message: 'Too large.' }],
            total_items: 6,
          },
        },
      }),
    );
    const run = await runCommand(['connectors', 'status', '2'], { url: service.url });
    expect(run.code).toBe(0);
    for (const part of [
      'Handbook (pair 2, web): PAUSED',
      'does not accept the credential',
      '1,204 indexed, 3 pending, 1 failed',
      'Last run   success: 120 fetched',
      '4 skipped: no text',
      '6 open',
      'https://a/1: Too large.',
      '… and 5 more',
    ]) {
      expect(run.stdout).toContain(part);
    }
  });
});
