import { z } from 'zod';
import { type DriveApi, type DriveFile, driveFile, FILE_FIELDS, FOLDER } from './drive-api.ts';
import type { DrivePart } from './drive-parts.ts';
import { SourceRefused, SourceUnavailable } from '#src/connectors/source/source-errors.ts';

const FILES_PER_PAGE = 50;
/** Folders listed by one request. */
const FOLDERS_AT_ONCE = 20;

/** The position in the listing of a part. */
export const listingPosition = z.object({
  kind: z.literal('listing'),
  pageToken: z.string().nullable(),
  /** Folders being listed, and folders found but not listed yet; empty when the part is not a folder. */
  folders: z.array(z.string()),
  pending: z.array(z.string()),
  /** Where the next run starts following changes; null when the part has no change list. */
  changesFrom: z.string().nullable(),
});
export type ListingPosition = z.infer<typeof listingPosition>;

const fileList = z.object({
  files: z.array(driveFile),
  nextPageToken: z.string().nullish(),
  incompleteSearch: z.boolean().nullish(),
});

/** Which files of a part are listed. */
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
 * The files of one request, oldest change first, so that files changed in the meantime appear again at the end.
 * Folders are walked recursively.
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
    // Page tokens expire after some hours. The listing then starts over; unchanged files cost nothing more.
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
    // Depth first, so that one branch is pending and not all folders of a level.
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
    // The folders themselves are needed to descend further.
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
