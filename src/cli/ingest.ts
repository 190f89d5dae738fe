import { resolve } from 'node:path';
import { openParserPool } from '#src/files/parser-pool.ts';
import type { ApiClient } from './api-client.ts';
import {
  type AddCommand,
  type CommandContext,
  printJson,
  repeated,
  wholeNumber,
} from './command-context.ts';
import { CommandFailure, UsageError } from './exit.ts';
import { type FileSelection, findFiles } from './find-files.ts';
import type { ItemSettings } from './ingest-item.ts';
import { readFoundFile, readPipe, type Reading } from './ingest-sources.ts';
import { type IngestState, NO_STATE, openIngestState } from './ingest-state.ts';
import { type IngestTally, openTally } from './ingest-tally.ts';
import { readIngestionStats } from './ingestion-stats.ts';
import { startProgress } from './progress.ts';
import { sendDocuments } from './send-documents.ts';
import { listFailedDocuments, waitForIndexing } from './wait-for-indexing.ts';

interface IngestOptions {
  include?: string[];
  exclude?: string[];
  idPrefix?: string;
  linkPrefix?: string;
  source: string;
  title: string;
  ccPair?: number;
  concurrency: number;
  state?: string;
  wait: boolean;
}

const MORE_HELP = `
Kinds: text, Markdown, HTML, PDF (text layer), DOCX, CSV, TSV. Folders are read with their subfolders, without
dot files, node_modules and pictures. With - the input is JSON lines {"document": {…}, "cc_pair_id": 1}, or one
document of any kind.

A document's id is its path below the given folder (after --id-prefix), wherever the command runs: a.md and
sub/b.md for docs, ../docs and /srv/docs; a file that is given by itself has its name. Run it again to update.
Two files with the same id are refused: give each folder its own --id-prefix. Unchanged documents cost the service almost nothing; with --state FILE, files that are finished and unchanged are not even
read, so that a run of millions can be interrupted with Ctrl-C and continued.

Ends with 0 when every document is indexed, 1 when some failed (listed at the end), 2 when typed wrongly.

Examples:
  millrace ingest docs README.md
  millrace ingest 'notes/**/*.md' --link-prefix https://wiki.example/notes/ --source wiki
  cat documents.ndjson | millrace ingest - --no-wait`;

/** `millrace ingest`: pushes files to the service and waits until they are searchable. */
export const addIngestCommand: AddCommand = (program, context) => {
  program
    .command('ingest')
    .summary('push files, folders or standard input')
    .description(
      'Push files, folders, glob patterns or standard input (-) and wait until they are searchable.',
    )
    .argument('<paths...>', 'files, folders, glob patterns, or - for standard input')
    .option(
      '--include <glob>',
      'in folders and patterns, take only files that match (repeatable)',
      repeated,
    )
    .option(
      '--exclude <glob>',
      'in folders and patterns, leave out files that match (repeatable)',
      repeated,
    )
    .option('--id-prefix <text>', 'put this before every document id')
    .option('--link-prefix <url>', 'link each document to this and its path (default: no links)')
    .option('--source <source>', 'source type of the documents', 'file')
    .option(
      '--title <title>',
      'title and id of a single document from standard input',
      'standard input',
    )
    .option(
      '--cc-pair <id>',
      'attach to this connector-credential pair',
      wholeNumber(0, 2 ** 31 - 1),
    )
    .option(
      '--concurrency <n>',
      'files parsed and requests sent side by side',
      wholeNumber(1, 32),
      4,
    )
    .option(
      '--state <file>',
      'remember finished files here and skip them next time (default: no file)',
    )
    .option('--no-wait', 'end when everything is accepted, not when it is searchable')
    .addHelpText('after', MORE_HELP)
    .action((paths: string[], options: IngestOptions) => ingest(paths, options, context));
};

async function ingest(
  paths: string[],
  options: IngestOptions,
  context: CommandContext,
): Promise<void> {
  const isPipe = paths.includes('-');
  if (isPipe && paths.length > 1) throw new UsageError('- cannot be combined with other paths.');
  if (isPipe && options.state !== undefined)
    throw new UsageError('--state is for files, not for -.');
  const client = context.connect();
  // Makes a small request first: a wrong key or address should not surface after an hour of parsing.
  await readIngestionStats(client);
  const run = openRun(paths, options, context, client);
  let phase: 'sending' | 'indexing' = 'sending';
  try {
    await sendAll(run, isPipe);
    phase = 'indexing';
    if (options.wait && run.tally.accepted > 0) await follow(run);
  } catch (error) {
    report(run);
    context.terminal.stderr.write(
      `${phase === 'sending' ? resumeHint(options) : CONTINUES_ALONE}\n`,
    );
    throw error;
  }
  report(run);
  const { finished, failed } = run.tally;
  if (finished === 0) throw new CommandFailure(`No documents found in ${paths.join(', ')}.`);
  if (failed > 0) throw new CommandFailure(`${failed} of ${finished} documents failed; see above.`);
}

/** One run of the command: its options, and what it records. */
interface Run {
  paths: string[];
  options: IngestOptions;
  context: CommandContext;
  client: ApiClient;
  state: IngestState;
  tally: IngestTally;
}

function openRun(
  paths: string[],
  options: IngestOptions,
  context: CommandContext,
  client: ApiClient,
): Run {
  const state =
    options.state === undefined
      ? NO_STATE
      : openIngestState(resolve(context.terminal.workingFolder, options.state), client.url);
  return { paths, options, context, client, state, tally: openTally() };
}

/** On most machines, more parser processes only wait for each other. */
const MAX_PROCESSES = 4;

async function sendAll(run: Run, isPipe: boolean): Promise<void> {
  const { options, client, tally, state, context } = run;
  const { stderr, stdin } = context.terminal;
  const { concurrency } = options;
  const { signal } = client;
  const progress = startProgress(stderr, 'Sent');
  const total: { count: number | null } = { count: null };
  const onProgress = (): void => progress.update({ done: tally.finished, total: total.count });
  const processes = Math.min(concurrency, MAX_PROCESSES);
  await using pool = openParserPool({ processes, processesOfOwner: processes });
  const reading: Reading = { pool, settings: settingsOf(options), tally, state, signal };
  const sending = { client, tally, state, concurrency, onProgress };
  const counting = new AbortController();
  try {
    if (isPipe) {
      const items = readPipe(stdin, options.title, reading);
      await sendDocuments(items, (item) => Promise.resolve(item), sending);
      return;
    }
    const selection = selectionOf(run);
    const counted = countFiles(selection, total, counting.signal);
    await sendDocuments(findFiles(selection), (found) => readFoundFile(found, reading), sending);
    counting.abort();
    await counted;
  } finally {
    counting.abort();
    progress.stop();
  }
}

/** A walk separate from the sending one: the bar gets its total, and no list of files is kept. */
async function countFiles(
  selection: FileSelection,
  total: { count: number | null },
  signal: AbortSignal,
): Promise<void> {
  const files = findFiles(selection);
  let count = 0;
  while (!(await files.next()).done) {
    if (signal.aborted) return;
    count += 1;
  }
  total.count = count;
}

async function follow({ client, context, tally, state }: Run): Promise<void> {
  const progress = startProgress(context.terminal.stderr, 'Indexed');
  try {
    await waitForIndexing(client, progress);
  } finally {
    progress.stop();
  }
  for await (const { documentId, reason } of listFailedDocuments(client)) {
    if (!tally.sent(documentId)) continue;
    tally.failIndexing({ label: documentId, reason });
    state.forget(documentId);
  }
}

function report({ context, tally }: Run): void {
  const { stdout, stderr } = context.terminal;
  if (context.wantsJson()) printJson(context, tally.summary());
  else stdout.write(`${tally.sentence()}\n`);
  stderr.write(tally.failureList());
}

const CONTINUES_ALONE =
  'All documents are accepted; the service continues indexing them without this command. See "millrace status".';

function resumeHint({ state }: IngestOptions): string {
  return state === undefined
    ? 'To continue, run the same command again: documents that were accepted are recognized and not indexed twice. With --state FILE, finished files are not even read again.'
    : `To continue, run the same command again: the finished files are in ${state} and are skipped.`;
}

function selectionOf({ paths, options, context }: Run): FileSelection {
  const { include = [], exclude = [] } = options;
  return { paths, include, exclude, workingFolder: context.terminal.workingFolder };
}

function settingsOf({ idPrefix = '', linkPrefix, source, ccPair }: IngestOptions): ItemSettings {
  return { idPrefix, linkPrefix: linkPrefix ?? null, source, ccPairId: ccPair ?? null };
}
