import type {
  ConnectorDocument,
  ConnectorPage,
  MemoryEntry,
} from '#src/connectors/source/connector.ts';
import { openTestContext, type TestContext } from './connector-context.ts';
import type { ContractSource } from './connector-contract.ts';

export type Memory = ReadonlyMap<string, MemoryEntry>;
type Page = ConnectorPage<unknown>;

/** A poll from the beginning, or from a checkpoint, to its end. */
export interface PollRun {
  readonly pages: Page[];
  /** The pair's memory after each page. */
  readonly memories: Memory[];
  readonly waits: readonly number[];
  readonly since: Date | null;
  readonly until: Date;
  /** The error that ended it early; null when it reached its end. */
  readonly error: unknown;
}

export interface PollOptions {
  since?: Date | null;
  until?: Date;
  /** The run and page after which it continues. */
  after?: { run: PollRun; page: number };
  memory?: Memory;
  timeoutMs?: number;
  signal?: AbortSignal;
  changed?: object;
  /** Called when a page has been saved. */
  onPage?: (page: Page, number: number) => void;
}

/**
 * Polls as the engine does: page by page, with checkpoints and memory passed through JSON, and without memory of
 * removed documents.
 */
export async function runPoll(source: ContractSource, options: PollOptions = {}): Promise<PollRun> {
  const { after } = options;
  const until = options.until ?? after?.run.until ?? new Date();
  const since = options.since ?? after?.run.since ?? null;
  const before = after ? memoryAfter(after.run, after.page) : (options.memory ?? new Map());
  await using test = contextFor(source, { ...options, since, until });
  for (const [key, entry] of before) test.memory.set(key, entry);
  const pages: Page[] = [];
  const memories: Memory[] = [];
  const ended = { pages, memories, since, until, waits: test.waits };
  try {
    const from = after ? checkpointAfter(source, after.run, after.page) : null;
    const config = [source.settings(options.changed), source.credential()] as const;
    for await (const page of source.connector.poll(...config, from, test.context)) {
      remember(test.memory, page);
      pages.push(page);
      memories.push(new Map(test.memory));
      options.onPage?.(page, pages.length);
    }
    return { ...ended, error: null };
  } catch (error) {
    return { ...ended, error };
  }
}

/** The next run of the same pair. `since` is half an hour before the start of the earlier one, as in the engine. */
export function runAgain(source: ContractSource, earlier: PollRun): Promise<PollRun> {
  return runPoll(source, {
    since: new Date(earlier.until.getTime() - 30 * 60_000),
    memory: memoryAfter(earlier, earlier.pages.length),
  });
}

/** A context with the limits that the kind declares. */
export function contextFor(
  { connector, fixture }: ContractSource,
  options: Pick<PollOptions, 'since' | 'until' | 'signal' | 'timeoutMs'> = {},
): TestContext {
  const { since = null, until, signal, timeoutMs } = options;
  return openTestContext({
    since,
    policy: connector.limits,
    ...(until && { until }),
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(fixture.files && { files: fixture.files }),
  });
}

export function memoryAfter({ memories }: PollRun, page: number): Memory {
  return memories[page - 1] ?? new Map();
}

/** The checkpoint as read back from the database. @throws ZodError when the schema rejects it */
export function checkpointAfter({ connector }: ContractSource, run: PollRun, page: number) {
  return connector.checkpoint.parse(JSON.parse(JSON.stringify(run.pages[page - 1]?.checkpoint)));
}

function remember(memory: Map<string, MemoryEntry>, page: Page): void {
  for (const { key, documentId, value } of page.memory) {
    // The value was written as JSON just before.
    const entry = JSON.parse(JSON.stringify({ key, documentId, value })) as MemoryEntry;
    memory.set(key, entry);
  }
  const gone = new Set(page.removed);
  for (const [key, { documentId }] of memory) {
    if (documentId !== null && gone.has(documentId)) memory.delete(key);
  }
}

export function documentsOf({ pages }: Pick<PollRun, 'pages'>): ConnectorDocument[] {
  return pages.flatMap(({ documents }) => documents);
}

export function idsOf(run: Pick<PollRun, 'pages'>): string[] {
  return documentsOf(run).map(({ id }) => id);
}

/** Ids of all documents that the run reports as present, whether read again or not. */
export function seenIn({ pages }: Pick<PollRun, 'pages'>): Set<string> {
  return new Set(
    pages.flatMap(({ documents, unchanged }) => [...documents.map(({ id }) => id), ...unchanged]),
  );
}

export function failuresOf({ pages }: Pick<PollRun, 'pages'>): Page['failures'] {
  return pages.flatMap(({ failures }) => failures);
}

export function textOf(run: Pick<PollRun, 'pages'>, id: string): string {
  const document = documentsOf(run).findLast((one) => one.id === id);
  return document?.sections.map(({ text }) => text).join('\n') ?? '';
}

/** All ids of a listing, as requested by a prune. */
export async function listAll(
  source: ContractSource,
  options: { memory?: Memory; timeoutMs?: number } = {},
): Promise<string[]> {
  await using test = contextFor(source, options);
  for (const [key, entry] of options.memory ?? []) test.memory.set(key, entry);
  const ids: string[] = [];
  const portions = source.connector.listIds(source.settings(), source.credential(), test.context);
  for await (const portion of portions) ids.push(...portion);
  return ids;
}

/** Fetches documents again that failed earlier. */
export async function fetchAgain(
  source: ContractSource,
  ids: readonly string[],
): Promise<Pick<PollRun, 'pages' | 'error'>> {
  await using test = contextFor(source);
  const pages: Page[] = [];
  const config = [source.settings(), source.credential()] as const;
  try {
    const again = source.connector.fetchAgain?.(...config, ids, test.context) ?? [];
    for await (const page of again) pages.push({ ...page, checkpoint: null });
    return { pages, error: null };
  } catch (error) {
    return { pages, error };
  }
}

export async function checkSource(source: ContractSource): Promise<void> {
  await using test = contextFor(source);
  await source.connector.check(source.settings(), source.credential(), test.context);
}
