import { z } from 'zod';
import { type DriveApi, type DriveFile, driveFile, FILE_FIELDS } from './drive-api.ts';
import type { DrivePart } from './drive-parts.ts';
import { isStaleToken } from './drive-listing.ts';

const CHANGES_PER_PAGE = 50;

const startToken = z.object({ startPageToken: z.string() });
const changeList = z.object({
  changes: z.array(
    z.object({
      fileId: z.string().nullish(),
      removed: z.boolean().nullish(),
      file: driveFile.nullish(),
    }),
  ),
  nextPageToken: z.string().nullish(),
  newStartPageToken: z.string().nullish(),
});

/**
 * The token from which future changes can be listed; null for folders, which have no change list.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/changes/getStartPageToken
 */
export async function findChangesStart(part: DrivePart, api: DriveApi): Promise<string | null> {
  if (part.scope.kind === 'folder') return null;
  const answer = await api.read(
    part.subject,
    'changes/startPageToken',
    feedQuery(part),
    startToken,
  );
  return answer.startPageToken;
}

export interface Changes {
  files: DriveFile[];
  /** Trashed: gone for every user. */
  trashed: string[];
  /** Ids of files that are gone for this user or drive; others may still have them. */
  left: string[];
  /** Files that this user can see but that do not belong to this part. */
  outside: DriveFile[];
  /** `isEnd`: the next run continues from there. */
  next: { token: string; isEnd: boolean };
}

/**
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/changes/list
 * @returns null when the token is no longer accepted
 */
export async function listChanges(
  part: DrivePart,
  token: string,
  api: DriveApi,
): Promise<Changes | null> {
  const query = {
    ...feedQuery(part),
    fields: `nextPageToken,newStartPageToken,changes(removed,fileId,file(${FILE_FIELDS}))`,
    includeRemoved: 'true',
    pageSize: String(CHANGES_PER_PAGE),
    pageToken: token,
    spaces: 'drive',
  };
  let list: z.infer<typeof changeList>;
  try {
    list = await api.read(part.subject, 'changes', query, changeList);
  } catch (error) {
    if (isStaleToken(error)) return null;
    throw error;
  }
  const changes: Changes = {
    files: [],
    trashed: [],
    left: [],
    outside: [],
    next: {
      token: list.nextPageToken ?? list.newStartPageToken ?? token,
      isEnd: !list.nextPageToken,
    },
  };
  for (const { fileId, removed, file } of list.changes) {
    // A change of the drive itself names no file.
    if (!fileId) continue;
    if (file?.trashed === true) changes.trashed.push(fileId);
    else if (removed === true || !file) changes.left.push(fileId);
    else if (isWithin(part, file)) changes.files.push(file);
    else changes.outside.push(file);
  }
  return changes;
}

function feedQuery({ scope }: DrivePart): Record<string, string> {
  return scope.kind === 'drive'
    ? { driveId: scope.driveId, includeItemsFromAllDrives: 'true', supportsAllDrives: 'true' }
    : {};
}

/** A user's change list also includes files that the settings exclude. */
function isWithin({ scope }: DrivePart, file: DriveFile): boolean {
  switch (scope.kind) {
    case 'drive':
      return file.driveId === scope.driveId;
    case 'user':
      return !file.driveId && (file.ownedByMe === true ? scope.mine : scope.shared);
    case 'folder':
      return true;
  }
}
