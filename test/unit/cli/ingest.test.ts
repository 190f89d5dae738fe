import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildPdf } from '#test/support/build-files.ts';
import { accept, batches, idOf, makeTree, service, stats } from '#test/support/fake-ingestion.ts';
import {
  type FakeAnswer,
  type SeenRequest,
  runCommand,
  startFakeService,
} from '#test/support/fake-service.ts';

describe('ingest accepts', () => {
  test('folders, without dotfiles, node_modules, images and linked folders', async () => {
    const workingFolder = makeTree({
      'docs/a.md': '# A',
      'docs/sub/b c.txt': 'b',
      'docs/.hidden.md': 'x',
      'docs/.git/x.md': 'x',
      'docs/node_modules/x.md': 'x',
      'docs/picture.png': 'x',
    });
    symlinkSync(join(workingFolder, 'docs'), join(workingFolder, 'docs/loop'));
    await using fake = await startFakeService(service());
    const run = await runCommand(
      [
        'ingest',
        'docs',
        '--id-prefix',
        'p:',
        '--link-prefix',
        'https://x.example/',
        '--cc-pair',
        '7',
      ],
      { url: fake.url, workingFolder },
    );
    expect(run.stderr).toBe('');
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^2 accepted, 2 skipped \(not documents\) in .*\.\n$/);
    const sent = batches(fake.requests)
      .flat()
      .toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
    expect(sent).toMatchObject([
      {
        cc_pair_id: 7,
        document: {
          id: 'p:a.md',
          semantic_identifier: 'A',
          source: 'file',
          metadata: {},
          sections: [{ text: '# A', link: 'https://x.example/a.md' }],
        },
      },
      {
        document: {
          id: 'p:sub/b c.txt',
          sections: [{ link: 'https://x.example/sub/b%20c.txt' }],
        },
      },
    ]);
  });

  test('glob patterns, with --include and --exclude', async () => {
    const workingFolder = makeTree({
      'a/x.md': 'x',
      'a/y.txt': 'y',
      'a/draft-z.md': 'z',
      'b/x.md': 'x',
    });
    await using fake = await startFakeService(service());
    const words = ['ingest', 'a/**', '--include', '*.md', '--exclude', 'draft-*'];
    await runCommand(words, { url: fake.url, workingFolder });
    expect(batches(fake.requests).flat().map(idOf)).toEqual(['x.md']);
  });

  test('PDF pages, with a link to each', async () => {
    const workingFolder = makeTree({ 'a.pdf': buildPdf(['One', 'Two']) });
    await using fake = await startFakeService(service());
    await runCommand(['ingest', 'a.pdf', '--link-prefix', 'https://x.example/'], {
      url: fake.url,
      workingFolder,
    });
    expect(batches(fake.requests)[0]?.[0]?.document.sections[1]).toEqual({
      text: 'Two',
      link: 'https://x.example/a.pdf#page=2',
    });
  });

  test('many files in batches of up to a hundred, each exactly once', async () => {
    const names = Array.from({ length: 250 }, (_, index) => `${index}.txt`);
    const tree = Object.fromEntries(names.map((name) => [`f/${name}`, name]));
    const workingFolder = makeTree(tree);
    await using fake = await startFakeService(service());
    await runCommand(['ingest', 'f'], { url: fake.url, workingFolder });
    const sent = batches(fake.requests);
    expect(Math.max(...sent.map((batch) => batch.length))).toBeLessThanOrEqual(100);
    expect(sent.flat().map(idOf).toSorted()).toEqual(names.toSorted());
  });

  test('JSON lines from standard input, and names the invalid lines', async () => {
    await using fake = await startFakeService(service());
    const good = (id: string): string =>
      JSON.stringify({ document: { id, semantic_identifier: id, sections: [] } });
    const run = await runCommand(['ingest', '-'], {
      url: fake.url,
      stdin: `${good('one')}\n\n{"document":3}\nrubbish\n${good('two')}`,
    });
    expect(batches(fake.requests).flat().map(idOf)).toEqual(['one', 'two']);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('line 3: it is not JSON of the form');
    expect(run.stderr).toContain('line 4: it is not JSON of the form');
  });

  test('one document from standard input', async () => {
    await using fake = await startFakeService(service());
    const run = await runCommand(['ingest', '-', '--title', 'Notes'], {
      url: fake.url,
      stdin: 'Some\ntext',
    });
    expect(run.code).toBe(0);
    expect(batches(fake.requests).flat()).toMatchObject([
      {
        document: { id: 'Notes', semantic_identifier: 'Notes', sections: [{ text: 'Some\ntext' }] },
      },
    ]);
  });
});

describe('--state', () => {
  test('continues an interrupted run and sends changed files again', async () => {
    const workingFolder = makeTree({ 'a.txt': 'a', 'b.txt': 'b' });
    let isUp = false;
    const batch = (request: SeenRequest): FakeAnswer => (isUp ? accept(request) : { hangUp: true });
    await using fake = await startFakeService(service(batch));
    const words = ['ingest', 'a.txt', 'b.txt', '--state', 'state.json'];
    const setting = { url: fake.url, workingFolder };
    const interrupted = await runCommand(words, {
      ...setting,
      onWait: (interrupt) => interrupt.abort(),
    });
    expect(interrupted.code).toBe(130);
    expect(interrupted.stderr).toContain('the finished files are in state.json');
    isUp = true;
    expect((await runCommand(words, setting)).stdout).toMatch(/^2 accepted in/);
    expect((await runCommand(words, setting)).stdout).toMatch(/^0 accepted, 2 finished before in/);
    writeFileSync(join(workingFolder, 'b.txt'), 'changed');
    await runCommand(words, setting);
    expect(batches(fake.requests).at(-1)?.map(idOf)).toEqual(['b.txt']);
  });

  test('survives a line cut short by a kill', async () => {
    const workingFolder = makeTree({ 'a.txt': 'a' });
    await using fake = await startFakeService(service());
    const path = join(workingFolder, 'state');
    writeFileSync(path, `{"millrace_ingest":1,"url":"${fake.url}"}\n{"id":"a.t`);
    const words = ['ingest', 'a.txt', '--state', 'state'];
    await runCommand(words, { url: fake.url, workingFolder });
    expect(readFileSync(path, 'utf8')).toContain('{"id":"a.t\n{"id":"a.txt"');
    expect((await runCommand(words, { url: fake.url, workingFolder })).stdout).toMatch(
      /1 finished before/,
    );
  });

  test('refuses a file that is not a state file or belongs to another service', async () => {
    const workingFolder = makeTree({
      'a.txt': 'a',
      other: '{"millrace_ingest":1,"url":"http://x.example"}\n',
    });
    await using fake = await startFakeService(service());
    for (const [state, reason] of [
      ['a.txt', 'is not a state file'],
      ['other', 'belongs to http://x.example'],
    ] as const) {
      const run = await runCommand(['ingest', 'a.txt', '--state', state], {
        url: fake.url,
        workingFolder,
      });
      expect(run.code).toBe(2);
      expect(run.stderr).toContain(reason);
    }
    expect(readFileSync(join(workingFolder, 'a.txt'), 'utf8')).toBe('a');
  });
});

describe('waiting', () => {
  test('continues until nothing is pending', async () => {
    const workingFolder = makeTree({ 'a.txt': 'x' });
    let polls = 0;
    await using fake = await startFakeService((request) => {
      if (request.url !== '/service-api/ingestion/stats') return service()(request);
      polls += 1;
      return stats(polls < 5 ? 5 - polls : 0);
    });
    const run = await runCommand(['ingest', 'a.txt'], { url: fake.url, workingFolder });
    expect(run).toMatchObject({ code: 0, waits: [1000, 1000, 1000] });
  });

  test('stops on Ctrl-C with a note that everything is accepted', async () => {
    const workingFolder = makeTree({ 'a.txt': 'x' });
    await using fake = await startFakeService((request) =>
      request.url === '/service-api/ingestion/stats' ? stats(3) : service()(request),
    );
    const run = await runCommand(['ingest', 'a.txt'], {
      url: fake.url,
      workingFolder,
      onWait: (interrupt) => interrupt.abort(),
    });
    expect(run.code).toBe(130);
    expect(run.stdout).toMatch(/^1 accepted/);
    expect(run.stderr).toContain('All documents are accepted');
  });

  test('is skipped with --no-wait', async () => {
    const workingFolder = makeTree({ 'a.txt': 'x' });
    await using fake = await startFakeService(service());
    await runCommand(['ingest', 'a.txt', '--no-wait'], { url: fake.url, workingFolder });
    expect(fake.requests.at(-1)?.url).toBe('/service-api/ingestion/batch');
  });
});
