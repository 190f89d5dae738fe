import { z } from 'zod';
import { type DriveApi, type DriveFile, driveFile, FILE_FIELDS, FOLDER } from './drive-api.ts';
import type { DrivePart } from './drive-parts.ts';
import { SourceRefused, SourceUnavailable } from '#src/connectors/source/source-errors.ts';

const FILES_PER_PAGE = 50;
/** Folders that are listed by one request. */
const FOLDERS_AT_ONCE = 20;

/** Where the listing of a part stands. */
export const listingPosition = z.object({
  kind: z.literal('listing'),
  pageToken: z.string().nullable(),
  /** Folders being listed, and those found and not yet listed; empty when the part is no folder. */
  folders: z.array(z.string()),
  pending: z.array(z.string()),
  /** From where the next run follows the changes; null when the part has no list of changes. */
  changesFrom: z.string().nullable(),
});
export type ListingPosition = z.infer<typeof listingPosition>;

const fileList = z.object({
  files: z.array(driveFile),
  nextPageToken: z.string().nullish(),
  incompleteSearch: z.boolean().nullish(),
});

/** What of a part is listed. */
export interface ListingFilter {
  excludeDomainLinkOnly: boolean;
  /** Null: files of any age. */
  editedSince: Date | null;
}

export function startOfListing(part: DrivePart, changesFrom: string | null): ListingPosition {
  const folders = part.scope.kind === 'folder' ? [part.scope.folderId] : [];
  return { kind: 'listing', pageToken: null, folders, pending: [], changesFrom };
}

/**
 * One request's worth of files, oldest change first, so that what changes meanwhile is seen again at the end. Folders
 * are walked to their depths.
 *
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list,
 * https://developers.google.com/workspace/drive/api/guides/search-files
 * @returns null as `next` after the last one
 */
export async function listFiles(
  part: DrivePart,
  position: ListingPosition,
  filter: ListingFilter,
  api: DriveApi,
): Promise<{ files: DriveFile[]; next: ListingPosition | null }> {
  const query = {
    ...scopeQuery(part, position.folders, filter),
    fields: `nextPageToken,incompleteSearch,files(${FILE_FIELDS})`,
    orderBy: 'modifiedTime',
    pageSize: String(FILES_PER_PAGE),
    spaces: 'drive',
    pageToken: position.pageToken,
  };
  let list: z.infer<typeof fileList>;
  try {
    list = await api.read(part.subject, 'files', query, fileList);
  } catch (error) {
    // Page tokens end after some hours: then from the beginning; what is known as it is costs nothing more.
    if (position.pageToken === null || !isStaleToken(error)) throw error;
    return { files: [], next: { ...position, pageToken: null } };
  }
  if (list.incompleteSearch === true) {
    throw new SourceUnavailable(`Google did not search all of ${part.title}.`);
  }
  const found =
    position.folders.length === 0 ? [] : list.files.filter(isFolder).map(({ id }) => id);
  const pending = [...position.pending, ...found.filter((id) => !position.pending.includes(id))];
  const next = (() => {
    if (list.nextPageToken) return { ...position, pending, pageToken: list.nextPageToken };
    if (pending.length === 0) return null;
    // The last found first: so one branch is pending, and not all folders of a level.
    const folders = pending.slice(-FOLDERS_AT_ONCE);
    return { ...position, pageToken: null, folders, pending: pending.slice(0, -FOLDERS_AT_ONCE) };
  })();
  return { files: list.files.filter((file) => !isFolder(file)), next };
}

function scopeQuery(
  part: DrivePart,
  folders: readonly string[],
  { excludeDomainLinkOnly, editedSince }: ListingFilter,
): Record<string, string> {
  const { scope } = part;
  const conditions = ['trashed = false'];
  const wanted: string[] = [];
  if (excludeDomainLinkOnly) wanted.push("visibility != 'domainWithLink'");
  if (editedSince) wanted.push(`modifiedTime >= '${editedSince.toISOString()}'`);
  const allDrives = { includeItemsFromAllDrives: 'true', supportsAllDrives: 'true' };
  if (scope.kind === 'folder') {
    conditions.unshift(`(${folders.map((id) => `'${id}' in parents`).join(' or ')})`);
    // The folders themselves are needed to go on.
    conditions.push(...wanted.map((condition) => `(mimeType = '${FOLDER}' or ${condition})`));
    return { q: conditions.join(' and '), ...allDrives };
  }
  conditions.push(`mimeType != '${FOLDER}'`, ...wanted);
  if (scope.kind === 'drive') {
    return { q: conditions.join(' and '), corpora: 'drive', driveId: scope.driveId, ...allDrives };
  }
  if (scope.mine !== scope.shared) conditions.unshift(`${scope.mine ? '' : 'not '}'me' in owners`);
  return { q: conditions.join(' and '), corpora: 'user' };
}

export function isStaleToken(error: unknown): boolean {
  return (
    error instanceof SourceRefused &&
    error.status !== null &&
    [400, 404, 410].includes(error.status)
  );
}

function isFolder({ mimeType }: DriveFile): boolean {
  return mimeType === FOLDER;
}
