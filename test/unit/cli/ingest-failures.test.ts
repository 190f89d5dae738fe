import { describe, expect, test } from 'vitest';
import {
  accept,
  batches,
  documentsOf,
  idOf,
  makeTree,
  service,
} from '#test/support/fake-ingestion.ts';
import {
  type FakeAnswer,
  type SeenRequest,
  runCommand,
  startFakeService,
} from '#test/support/fake-service.ts';

describe('ingest with failures', () => {
  test('lists each failure with its reason, sends the rest, and exits with 1', async () => {
    const workingFolder = makeTree({
      'd/good.txt': 'x',
      'd/empty.txt': '',
      'd/fake.docx': 'no',
      'd/bad.txt': 'x',
    });
    const batch = (request: SeenRequest): FakeAnswer =>
      accept(request, (wire) =>
        idOf(wire) === 'bad.txt' ? { error_code: 'BAD_REQUEST', detail: 'It is bad.' } : null,
      );
    await using fake = await startFakeService(service(batch));
    const run = await runCommand(['ingest', 'd', 'missing.txt'], { url: fake.url, workingFolder });
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/^1 accepted, 4 failed/);
    expect(run.stderr).toContain('  bad.txt: It is bad. (BAD_REQUEST)\n');
    expect(run.stderr).toContain('  empty.txt is empty.\n');
    expect(run.stderr).toContain('  fake.docx is named .docx but');
    expect(run.stderr).toContain('  missing.txt: there is no such file\n');
    expect(run.stderr).toContain('error: 4 of 5 documents failed; see above.');
  });

  test('lists only its own accepted documents that could not be indexed', async () => {
    const workingFolder = makeTree({ 'a.txt': 'x', 'b.txt': 'x' });
    const failed = [
      { document_id: 'a.txt', error: 'It is poisoned.' },
      { document_id: 'of-somebody-else', error: 'x' },
    ];
    await using fake = await startFakeService(service(accept, failed));
    const run = await runCommand(['ingest', 'a.txt', 'b.txt', '--state', 'state', '--json'], {
      url: fake.url,
      workingFolder,
    });
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout)).toMatchObject({
      accepted: 1,
      failed: 1,
      failures: [{ label: 'a.txt', reason: 'It is poisoned.' }],
    });
    // The next run sends only the failed one again.
    await runCommand(['ingest', 'a.txt', 'b.txt', '--state', 'state'], {
      url: fake.url,
      workingFolder,
    });
    expect(batches(fake.requests).at(-1)?.map(idOf)).toEqual(['a.txt']);
  });

  test('waits after a 429 for the whole request and for single documents', async () => {
    const workingFolder = makeTree({ 'a.txt': 'x', 'b.txt': 'x' });
    let calls = 0;
    const batch = (request: SeenRequest): FakeAnswer => {
      calls += 1;
      const full = { error_code: 'RATE_LIMIT_EXCEEDED', detail: 'Full.' };
      if (calls === 1) return { status: 429, headers: { 'retry-after': '5' }, json: full };
      return accept(request, (wire) => (calls === 2 && idOf(wire) === 'b.txt' ? full : null));
    };
    await using fake = await startFakeService(service(batch));
    const run = await runCommand(['ingest', 'a.txt', 'b.txt'], { url: fake.url, workingFolder });
    expect(run).toMatchObject({ code: 0, waits: [5000, 1000] });
    expect(batches(fake.requests).map((sent) => sent.length)).toEqual([2, 2, 1]);
  });

  test('isolates the one document for which a whole request is refused', async () => {
    const names = ['1', '2', '3', '4', '5'].map((name) => `${name}.txt`);
    const workingFolder = makeTree(Object.fromEntries(names.map((name) => [name, name])));
    const batch = (request: SeenRequest): FakeAnswer =>
      documentsOf(request).some((wire) => idOf(wire) === '4.txt')
        ? { status: 413, json: { error_code: 'PAYLOAD_TOO_LARGE', detail: 'Too large.' } }
        : accept(request);
    await using fake = await startFakeService(service(batch));
    const run = await runCommand(['ingest', ...names], { url: fake.url, workingFolder });
    expect(run.stdout).toMatch(/^4 accepted, 1 failed/);
    expect(run.stderr).toContain('4.txt: Too large. (PAYLOAD_TOO_LARGE)\n');
  });

  test('stops with a hint on how to continue when the service stays away', async () => {
    const workingFolder = makeTree({ 'a.txt': 'x' });
    await using fake = await startFakeService(service(() => ({ hangUp: true })));
    const run = await runCommand(['ingest', 'a.txt'], { url: fake.url, workingFolder });
    expect(run.code).toBe(1);
    expect(run.waits.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThan(60_000);
    expect(run.stderr).toContain('To continue, run the same command again');
    expect(run.stderr).toContain('error: No answer from');
  });

  test('ends before reading anything when the key is wrong', async () => {
    await using fake = await startFakeService(() => ({
      status: 401,
      json: { error_code: 'UNAUTHENTICATED', detail: 'Unknown key.' },
    }));
    const run = await runCommand(['ingest', 'missing'], { url: fake.url });
    expect(run).toMatchObject({ code: 1, stderr: 'error: Unknown key. (UNAUTHENTICATED)\n' });
  });

  test('names a document that is missing from the response', async () => {
    const workingFolder = makeTree({ 'a.txt': 'x' });
    await using fake = await startFakeService(
      service(() => ({ json: { results: [], accepted: 0, failed: 0 } })),
    );
    const run = await runCommand(['ingest', 'a.txt'], { url: fake.url, workingFolder });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('a.txt: the service did not report its outcome');
  });

  test('reports when it found nothing', async () => {
    await using fake = await startFakeService(service());
    const run = await runCommand(['ingest', '.'], { url: fake.url });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('No documents found in .');
  });
});
