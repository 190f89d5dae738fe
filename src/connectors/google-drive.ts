import { z } from 'zod';
import {
  type AnyConnector,
  type ConnectorContext,
  type ConnectorPage,
  defineConnector,
  pageOf,
  type PollContext,
} from './connector.ts';
import {
  createDriveApi,
  type DriveApi,
  FOLDER,
  type GoogleAddresses,
  SHORTCUT,
} from './drive-api.ts';
import { findChangesStart, listChanges } from './drive-changes.ts';
import { whyNotRead } from './drive-content.ts';
import { addFiles, documentIdOf } from './drive-files.ts';
import { fetchFilesAgain } from './drive-retry.ts';
import { listFiles, listingPosition, startOfListing } from './drive-listing.ts';
import { type DrivePart, findParts } from './drive-parts.ts';
import { type DriveSettings, driveSettings } from './drive-settings.ts';
import { type GoogleCredential, googleCredential, openGoogleAuth } from './google-auth.ts';
import { SourceRefused } from './source-errors.ts';

const FILES_PER_PAGE = 50;

const driveCheckpoint = z.object({
  /** The part that is being read; those before it are done. */
  part: z.string(),
  position: z.discriminatedUnion('kind', [
    listingPosition,
    z.object({ kind: z.literal('changes'), token: z.string() }),
    z.object({ kind: z.literal('done') }),
  ]),
  /** Files that were looked at up to there. */
  seen: z.int().min(0),
});

type Checkpoint = z.infer<typeof driveCheckpoint>;
type Position = Checkpoint['position'];

interface Run {
  settings: DriveSettings;
  parts: DrivePart[];
  api: DriveApi;
  context: PollContext;
}

/**
 * Google Drive: My Drives, shared drives and folders, by service account or by the consent of one user. Users and
 * drives are listed once and then followed by their lists of changes.
 *
 * https://developers.google.com/workspace/drive/api/reference/rest/v3,
 * https://developers.google.com/workspace/drive/api/guides/manage-changes
 */
export function createGoogleDriveConnector(
  options: Partial<GoogleAddresses> & { tokenUrl?: string } = {},
): AnyConnector {
  const addresses = {
    apiBase: options.apiBase ?? 'https://www.googleapis.com',
    directoryBase: options.directoryBase ?? 'https://admin.googleapis.com',
  };
  const open = async (
    settings: DriveSettings,
    credential: GoogleCredential,
    context: ConnectorContext,
  ): Promise<{ api: DriveApi; parts: DrivePart[] }> => {
    const auth = openGoogleAuth(credential, context, options.tokenUrl);
    const api = createDriveApi(addresses, auth, context);
    return { api, parts: await findParts(settings, credential, auth, api) };
  };
  return defineConnector({
    kind: 'google_drive',
    aliases: [],
    title: 'Google Drive',
    summary:
      'Docs, Sheets, Slides and other readable files of My Drives, shared drives and folders.',
    settings: driveSettings,
    credential: googleCredential,
    checkpoint: driveCheckpoint,
    limits: { concurrentRequests: 4, requestsPerSecond: 20, documentsPerPage: FILES_PER_PAGE },
    defaultRefreshSeconds: 30 * 60,
    async check(settings, credential, context) {
      const { api, parts } = await open(settings, credential, context);
      await checkPart(parts[0], api);
    },
    async *poll(settings, credential, checkpoint, context) {
      const { api, parts } = await open(settings, credential, context);
      const run: Run = { settings, parts, api, context };
      let seen = checkpoint?.seen ?? 0;
      for (const part of parts) {
        if (checkpoint && part.key < checkpoint.part) continue;
        const position = checkpoint?.part === part.key ? checkpoint.position : null;
        for await (const page of pollPart(run, part, position, seen)) {
          ({ seen } = page.checkpoint);
          yield page;
        }
      }
    },
    async *listIds(settings, credential, context) {
      const { api, parts } = await open(settings, credential, context);
      for (const part of parts) yield* listPartIds(part, settings, api);
    },
    async *fetchAgain(settings, credential, documentIds, context) {
      const { api, parts } = await open(settings, credential, context);
      for (let start = 0; start < documentIds.length; start += FILES_PER_PAGE) {
        const ids = documentIds.slice(start, start + FILES_PER_PAGE);
        const subjects = [...new Set(parts.map(({ subject }) => subject))];
        yield await fetchFilesAgain(ids, subjects, api, context);
      }
    },
  });
}

export const googleDrive = createGoogleDriveConnector();

async function checkPart(part: DrivePart | undefined, api: DriveApi): Promise<void> {
  if (!part) throw new SourceRefused('There is no drive that the settings name.');
  const { scope, subject } = part;
  switch (scope.kind) {
    case 'drive':
      await api.read(subject, `drives/${encodeURIComponent(scope.driveId)}`, {}, z.object({}));
      return;
    case 'folder': {
      const folder = await api.file(subject, scope.folderId);
      if (folder?.mimeType === FOLDER) return;
      throw new SourceRefused(
        `The folder ${scope.folderId} cannot be seen${subject === null ? '' : ` by ${subject}`}. Share it, or correct shared_folder_urls.`,
      );
    }
    case 'user':
      await api.read(subject, 'files', { pageSize: '1', fields: 'files(id)' }, z.object({}));
  }
}

/** All pages of one part. Where it is refused and others are not, that is one failure, and the others are read. */
async function* pollPart(
  run: Run,
  part: DrivePart,
  from: Position | null,
  seenBefore: number,
): AsyncGenerator<ConnectorPage<Checkpoint>> {
  let seen = seenBefore;
  try {
    let position = from ?? (await startOfPart(run, part));
    while (position.kind !== 'done') {
      const page = await readPage(run, part, position, seen);
      ({ position, seen } = page.checkpoint);
      yield page;
    }
  } catch (error) {
    if (!(error instanceof SourceRefused) || run.parts.length === 1) throw error;
    yield pageOf<Checkpoint>({
      checkpoint: { part: part.key, position: { kind: 'done' }, seen },
      description: `${part.title} cannot be read`,
      failures: [{ documentId: null, link: null, entityId: part.title, reason: error.message }],
    });
  }
}

async function startOfPart(run: Run, part: DrivePart): Promise<Position> {
  const { settings, api, context } = run;
  // Who may find a file is told by no list of changes: with that filter everything is listed.
  if (settings.exclude_domain_link_only) return startOfListing(part, null);
  const key = changesKey(part);
  const token = context.since === null ? null : (await context.recall([key])).get(key);
  if (typeof token === 'string') return { kind: 'changes', token };
  return startOfListing(part, await findChangesStart(part, api));
}

async function readPage(
  run: Run,
  part: DrivePart,
  position: Exclude<Position, { kind: 'done' }>,
  seen: number,
): Promise<ConnectorPage<Checkpoint>> {
  return position.kind === 'listing'
    ? readListing(run, part, position, seen)
    : readChanges(run, part, position.token, seen);
}

async function readListing(
  { settings, api, context }: Run,
  part: DrivePart,
  position: Extract<Position, { kind: 'listing' }>,
  seenBefore: number,
): Promise<ConnectorPage<Checkpoint>> {
  const { exclude_domain_link_only: isFiltered } = settings;
  const { files, next } = await listFiles(part, position, isFiltered, api);
  const seen = seenBefore + files.length;
  const page = pageOf<Checkpoint>({
    checkpoint: { part: part.key, position: next ?? { kind: 'done' }, seen },
    description: `${part.title}, ${seen} files in all`,
  });
  await addFiles(page, files, part.subject, api, context);
  if (next === null && position.changesFrom !== null) {
    page.memory.push({ key: changesKey(part), documentId: null, value: position.changesFrom });
  }
  return page;
}

async function readChanges(
  { parts, api, context }: Run,
  part: DrivePart,
  token: string,
  seenBefore: number,
): Promise<ConnectorPage<Checkpoint>> {
  const changes = await listChanges(part, token, api);
  if (changes === null) {
    // The list of changes does not reach back that far: all is listed, and what is known as it is costs nothing more.
    const position = startOfListing(part, await findChangesStart(part, api));
    const description = `${part.title}: changes are no longer known, listing everything`;
    return pageOf<Checkpoint>({
      checkpoint: { part: part.key, position, seen: seenBefore },
      description,
    });
  }
  const { files, trashed, left, next } = changes;
  const seen = seenBefore + files.length;
  const position: Position = next.isEnd ? { kind: 'done' } : { kind: 'changes', token: next.token };
  const page = pageOf<Checkpoint>({
    checkpoint: { part: part.key, position, seen },
    description: `${part.title}, ${seen} changed files in all`,
    // What left one of several parts may still be in another: pruning, which lists them all, decides.
    removed: [...trashed, ...(parts.length === 1 ? left : [])].map(documentIdOf),
  });
  await addFiles(page, files, part.subject, api, context);
  if (next.isEnd) {
    page.memory.push({ key: changesKey(part), documentId: null, value: next.token });
  }
  return page;
}

async function* listPartIds(
  part: DrivePart,
  settings: DriveSettings,
  api: DriveApi,
): AsyncGenerator<string[]> {
  let position: ReturnType<typeof startOfListing> | null = startOfListing(part, null);
  while (position !== null) {
    const { files, next } = await listFiles(part, position, settings.exclude_domain_link_only, api);
    yield files.flatMap((file) => {
      if (file.mimeType === SHORTCUT) {
        const target = file.shortcutDetails?.targetId;
        return target ? [documentIdOf(target)] : [];
      }
      return whyNotRead(file) === null ? [documentIdOf(file.id)] : [];
    });
    position = next;
  }
}

function changesKey(part: DrivePart): string {
  return `changes:${part.key}`;
}
