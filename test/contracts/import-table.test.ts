import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DOORS, FEATURES, FLOORS } from '#lint/import-table.ts';
import { importTable } from '#lint/show-table.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** File, its import, and whether lint allows it. */
const CASES: readonly [file: string, imported: string, allowed: boolean][] = [
  ['src/chat/wire/a.ts', '#src/chat/model/chat-model.ts', false],
  ['src/chat/model/a.ts', '#src/chat/wire/packets.ts', true],
  ['src/chat/chat-a.ts', '#src/chat/sessions/feedback.ts', false],
  ['src/chat/sessions/a.ts', '#src/chat/chat-services.ts', true],
  ['src/chat/runs/a.ts', '#src/chat/chat-services.ts', false],
  ['src/chat/sessions/b.ts', './below/feedback.ts', false],
  ['src/chat/new-room/a.ts', '#src/chat/wire/packets.ts', false],
  ['src/chat/search/a.ts', '#src/connectors/connector-services.ts', false],
  ['src/connectors/kinds/notion/a.ts', '#src/connectors/kinds/slack/slack-api.ts', false],
  ['src/connectors/kinds/rss/a.ts', '#src/connectors/kinds/web/page-address.ts', true],
  ['src/connectors/kinds/rss/b.ts', '#src/connectors/kinds/registry.ts', false],
  ['src/connectors/kinds/a.ts', '#src/connectors/kinds/rss/rss.ts', true],
  ['src/connectors/kinds/b.ts', '#src/connectors/runs/open-run.ts', false],
  ['src/connectors/source/a.ts', '#src/connectors/kinds/registry.ts', false],
  ['src/connectors/runs/a.ts', '#src/documents/drop-documents.ts', true],
  ['src/webhooks/a.ts', '#src/webhooks/administration/events.ts', false],
  ['src/email/a.ts', './administration/messages.ts', false],
  ['src/email/b.ts', '#src/billing/plans.ts', true],
  ['src/email/c.ts', '#src/billing/set-plan.ts', false],
  ['src/accounts/a.ts', '#src/billing/plans.ts', false],
  ['src/documents/a.ts', '#src/services.ts', false],
  ['src/documents/b.ts', '#src/open-services.ts', false],
  ['src/documents/c.ts', '#src/platform/errors.ts', true],
  ['src/platform/a.ts', '#src/documents/search/search-documents.ts', false],
  ['src/platform/b.ts', '#src/tables/tables.ts', true],
  ['src/tables/a.ts', '#src/platform/errors.ts', false],
  ['src/api/a.ts', '#src/api/routes/index.ts', false],
  ['src/api/b.ts', '#src/services.ts', true],
  ['src/api/c.ts', 'kysely', false],
  ['src/api/d.ts', 'koa', true],
  ['src/documents/d.ts', 'koa', false],
  ['src/chat/python/a.ts', 'node:child_process', false],
  ['src/chat/python/lock-down.ts', 'node:child_process', true],
  ['src/chat/python/lock-down-b.ts', '#src/chat/runs/answer-runs.ts', false],
  ['src/email/smtp.ts', 'nodemailer', true],
  ['src/email/smtp.ts', 'stripe', false],
  ['src/services.ts', './open-services.ts', false],
  ['src/services.ts', './api/app.ts', false],
  ['src/services.ts', './email/email-services.ts', true],
  ['src/ids.ts', './services.ts', false],
  ['src/start-api.ts', '#workers/index.ts', false],
  ['src/start-millrace.ts', '#workers/index.ts', true],
  ['src/reconcile.ts', '#test/support/until.ts', false],
  ['src/client/a.ts', '#src/chat/wire/packets.ts', true],
  ['src/client/b.ts', '#src/chat/wire/tool-call.ts', false],
  ['src/client/c.ts', 'pino', false],
  ['workers/a.ts', '#src/api/app.ts', false],
  ['workers/b.ts', '#src/email/deliver-message.ts', true],
  ['queues/a.ts', 'bullmq', false],
  ['queues/b.ts', '#src/platform/config.ts', false],
  ['queues/producer.ts', 'bullmq', true],
  ['migrations/0099-a.ts', '#src/ids.ts', false],
];

describe('the import table', () => {
  let folder: string;
  let refused: Set<string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-lint-'));
    for (const part of ['oxlint.config.ts', 'lint', 'package.json']) {
      await cp(join(ROOT, part), join(folder, part), { recursive: true });
    }
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    refused = await lintCases(folder);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(CASES)('makes lint judge that %s imports %s: %s', (file, imported, allowed) => {
    expect(!refused.has(`${file} ${imported}`)).toBe(allowed);
  });

  it('lets a feature import only from features above it', () => {
    const names = Object.keys(FEATURES);
    for (const [index, name] of names.entries()) {
      const above = names.slice(0, index);
      const folders = (FEATURES[name] ?? []).map((path) => path.split('/')[0] ?? '');
      expect(folders.filter((one) => one !== 'services.ts' && !above.includes(one))).toEqual([]);
    }
  });

  it('has a row for every folder of src and a floor for every subfolder', () => {
    const files = globSync('src/*/**/*.ts', { cwd: ROOT });
    const folders = new Set(files.map((file) => dirname(file).slice('src/'.length)));
    const isKnown = (folder: string): boolean => {
      const [feature = '', ...rest] = folder.split('/');
      if (rest.length === 0) return feature in FEATURES;
      const floors = FLOORS[feature] ?? [];
      const inner = rest.join('/');
      return floors.includes(inner) || floors.includes(inner.replace(/[^/]+$/, '*'));
    };
    expect([...folders].filter((folder) => !isKnown(folder))).toEqual([]);
  });

  it('names only folders and files that exist', () => {
    const rows = Object.entries(FEATURES).flatMap(([name, named]) => [name, ...named]);
    const floors = Object.entries(FLOORS).flatMap(([name, named]) =>
      named.map((floor) => `${name}/${floor.replace('/*', '')}`),
    );
    const doors = DOORS.flatMap(({ places }) => places);
    const paths = [...[...rows, ...floors].map((path) => `src/${path}`), ...doors];
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('matches the table in the manual', () => {
    const manual = readFileSync(join(ROOT, 'docs/development.md'), 'utf8').split('\n');
    const lines = importTable().split('\n');
    expect(lines.filter((line) => !manual.includes(line))).toEqual([]);
  });
});

/** `file import` of each case that lint refuses. */
async function lintCases(folder: string): Promise<Set<string>> {
  const contents = Map.groupBy(CASES, ([file]) => file);
  for (const [file, cases] of contents) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    const lines = cases.map(
      ([, imported], index) => `import type { A as A${index} } from '${imported}';`,
    );
    await writeFile(join(folder, file), lines.join('\n'));
  }
  const command = join(ROOT, 'node_modules/.bin/oxlint');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [command, '--format=json', '-A', 'all', '-D', 'no-restricted-imports'],
    { cwd: folder, maxBuffer: 10_000_000 },
  ).catch((error: { stdout: string }) => error);
  const { diagnostics } = JSON.parse(stdout);
  return new Set(
    diagnostics
      .filter(({ code }: { code: string }) => code.includes('no-restricted-imports'))
      .map(({ filename, labels }: { filename: string; labels: { span: { line: number } }[] }) => {
        const line = labels[0]?.span.line ?? 0;
        return `${filename} ${contents.get(filename)?.[line - 1]?.[1]}`;
      }),
  );
}
