import { z } from 'zod';
import {
  type ConnectorPage,
  type MemoryEntry,
  pageOf,
  type PollContext,
} from '#src/connectors/source/connector.ts';
import type { DriveApi, DriveFile } from './drive-api.ts';
import { findChangesStart, listChanges } from './drive-changes.ts';
import { addFiles, documentIdOf, reachedByShortcut } from './drive-files.ts';
import { listFiles, type ListingFilter, listingPosition, startOfListing } from './drive-listing.ts';
import type { DrivePart } from './drive-parts.ts';
import type { DriveSettings } from './drive-settings.ts';
import { findFirstSince } from '#src/connectors/source/first-since.ts';
import { startPageTime } from '#src/connectors/source/page-time.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

export const driveCheckpoint = z.object({
  /** The part being read; those before it are done. */
  part: z.string(),
  position: z.discriminatedUnion('kind', [
    listingPosition,
    z.object({ kind: z.literal('changes'), token: z.string() }),
    z.object({ kind: z.literal('done') }),
  ]),
  /** Number of files examined so far. */
  seen: z.int().min(0),
});
export type DriveCheckpoint = z.infer<typeof driveCheckpoint>;
type Position = DriveCheckpoint['position'];
type Page = ConnectorPage<DriveCheckpoint>;

/** Where following the changes of a part starts, and when the part was last listed. */
const partMemory = z.object({ token: z.string(), listedAt: z.coerce.date() });

/**
 * How often everything is listed although changes are followed. The change list names a folder that was shared, moved
 * or restored from the trash, but not its content, and nothing about shortcut targets elsewhere.
 */
const LISTED_AGAIN_MS = 24 * 3_600_000;

export interface DriveRun {
  settings: DriveSettings;
  parts: DrivePart[];
  api: DriveApi;
  context: PollContext;
}

interface OpenedRun extends DriveRun {
  filter: ListingFilter;
  firstMemory: MemoryEntry;
}

export function filterOf(settings: DriveSettings, editedSince: Date | null): ListingFilter {
  return { excludeDomainLinkOnly: settings.exclude_domain_link_only, editedSince };
}

export async function* pollParts(
  given: DriveRun,
  checkpoint: DriveCheckpoint | null,
): AsyncGenerator<Page> {
  const first = await findFirstSince(given.context);
  const run = {
    ...given,
    filter: filterOf(given.settings, first.since),
    firstMemory: first.memory,
  };
  let seen = checkpoint?.seen ?? 0;
  if (run.parts.length === 0) {
    // Drives shared later are read from the beginning, because the time of the first run is remembered.
    yield pageOf<DriveCheckpoint>({
      checkpoint: { part: '', position: { kind: 'done' }, seen },
      description: 'no drives yet',
      memory: [first.memory],
    });
  }
  for (const part of run.parts) {
    if (checkpoint && part.key < checkpoint.part) continue;
    const position = checkpoint?.part === part.key ? checkpoint.position : null;
    for await (const page of pollPart(run, part, position, seen)) {
      ({ seen } = page.checkpoint);
      yield page;
    }
  }
}

/** All pages of one part. When one of several parts is refused, that is one failure, and the others are read. */
async function* pollPart(
  run: OpenedRun,
  part: DrivePart,
  from: Position | null,
  seenBefore: number,
): AsyncGenerator<Page> {
  let seen = seenBefore;
  try {
    let position = from ?? (await startOfPart(run, part));
    while (position.kind !== 'done') {
      const pages: AsyncGenerator<Page> =
        position.kind === 'listing'
          ? readListing(run, part, position, seen)
          : readChanges(run, part, position, seen);
      for await (const page of pages) {
        ({ position, seen } = page.checkpoint);
        yield page;
      }
    }
  } catch (error) {
    if (!(error instanceof SourceRefused) || run.parts.length === 1) throw error;
    yield pageOf<DriveCheckpoint>({
      checkpoint: { part: part.key, position: { kind: 'done' }, seen },
      description: `${part.title} cannot be read`,
      failures: [{ documentId: null, link: null, entityId: part.title, reason: error.message }],
      memory: [run.firstMemory],
    });
  }
}

async function startOfPart(run: OpenedRun, part: DrivePart): Promise<Position> {
  // No change list tells who can find a file by search: with that filter everything is listed.
  if (run.settings.exclude_domain_link_only) return startOfListing(part, null);
  const memory = await recallPart(run, part);
  if (memory) return { kind: 'changes', token: memory.token };
  return startOfListing(part, await findChangesStart(part, run.api));
}

async function recallPart({ context }: OpenedRun, part: DrivePart) {
  const key = changesKey(part);
  return partMemory.safeParse((await context.recall([key])).get(key)).data ?? null;
}

async function* readListing(
  run: OpenedRun,
  part: DrivePart,
  position: Extract<Position, { kind: 'listing' }>,
  seenBefore: number,
): AsyncGenerator<Page> {
  const { api, context, filter } = run;
  const { files, next } = await listFiles(part, position, filter, api);
  const seen = seenBefore + files.length;
  const pages = readFiles(run, part, files, {
    before: { part: part.key, position, seen: seenBefore },
    after: { part: part.key, position: next ?? { kind: 'done' }, seen },
    description: `${part.title}, ${seen} files in all`,
  });
  for await (const page of pages) {
    const { changesFrom: token } = position;
    if (page.checkpoint.position.kind === 'done' && token !== null) {
      page.memory.push(memoryOf(part, { token, listedAt: context.until }));
    }
    yield page;
  }
}

async function* readChanges(
  run: OpenedRun,
  part: DrivePart,
  position: Extract<Position, { kind: 'changes' }>,
  seenBefore: number,
): AsyncGenerator<Page> {
  const { parts, api, context } = run;
  const changes = await listChanges(part, position.token, api);
  if (changes === null) {
    // The change list does not reach back that far: everything is listed; unchanged files cost nothing more.
    const listing = startOfListing(part, await findChangesStart(part, api));
    yield pageOf<DriveCheckpoint>({
      checkpoint: { part: part.key, position: listing, seen: seenBefore },
      description: `${part.title}: changes are no longer known, listing everything`,
    });
    return;
  }
  const { trashed, outside, next } = changes;
  const targets = await reachedByShortcut(outside, context);
  const left = [
    ...changes.left,
    ...outside.filter((file) => !targets.has(file)).map(({ id }) => id),
  ];
  const files = [...changes.files, ...targets];
  const seen = seenBefore + files.length;
  const listedAt = (await recallPart(run, part))?.listedAt ?? context.until;
  const isDue = context.until.getTime() - listedAt.getTime() >= LISTED_AGAIN_MS;
  const end: Position = isDue ? startOfListing(part, next.token) : { kind: 'done' };
  const pages = readFiles(run, part, files, {
    before: { part: part.key, position, seen: seenBefore },
    after: {
      part: part.key,
      position: next.isEnd ? end : { kind: 'changes', token: next.token },
      seen,
    },
    description: `${part.title}, ${seen} changed files in all`,
  });
  // What left one of several parts may still be in another: pruning, which lists them all, decides.
  const removed = [...trashed, ...(parts.length === 1 ? left : [])].map(documentIdOf);
  for await (const page of pages) {
    page.removed.push(...removed.splice(0));
    if (page.checkpoint.position.kind === 'done') {
      page.memory.push(memoryOf(part, { token: next.token, listedAt }));
    }
    yield page;
  }
}

/**
 * The files of one listing, usually as one page. When they take long, the files read so far are saved first: a
 * resumed listing finds those unchanged.
 */
async function* readFiles(
  { api, context, firstMemory }: OpenedRun,
  { subject }: DrivePart,
  listed: readonly DriveFile[],
  {
    before,
    after,
    description,
  }: Record<'before' | 'after', DriveCheckpoint> & { description: string },
): AsyncGenerator<Page> {
  let left = listed;
  do {
    const page = pageOf<DriveCheckpoint>({ checkpoint: before, description });
    const time = startPageTime(context.clock);
    left = await addFiles(page, left, subject, { api, context, time });
    page.memory.push(firstMemory);
    yield left.length === 0 ? { ...page, checkpoint: after } : page;
  } while (left.length > 0);
}

function memoryOf(part: DrivePart, { token, listedAt }: z.infer<typeof partMemory>): MemoryEntry {
  const value = { token, listedAt: listedAt.toISOString() };
  return { key: changesKey(part), documentId: null, value };
}

function changesKey(part: DrivePart): string {
  return `changes:${part.key}`;
}
