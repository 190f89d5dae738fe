import { z } from 'zod';
import {
  type AnyConnector,
  type ConnectorContext,
  defineConnector,
} from '#src/connectors/source/connector.ts';
import {
  createDriveApi,
  type DriveApi,
  FOLDER,
  type GoogleAddresses,
  SHORTCUT,
} from './drive-api.ts';
import { whyNotRead } from './drive-content.ts';
import { documentIdOf, targetOf } from './drive-files.ts';
import { listFiles, startOfListing } from './drive-listing.ts';
import { type DrivePart, findParts } from './drive-parts.ts';
import { driveCheckpoint, filterOf, pollParts } from './drive-poll.ts';
import { fetchFilesAgain } from './drive-retry.ts';
import { type DriveSettings, driveSettings } from './drive-settings.ts';
import { type GoogleCredential, googleCredential, openGoogleAuth } from './google-auth.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

const FILES_PER_PAGE = 50;

/**
 * Google Drive: My Drives, shared drives and folders, by service account or with one user's consent. Users and drives
 * are listed once; then their change lists are followed.
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
      yield* pollParts({ settings, parts, api, context }, checkpoint);
    },
    async *listIds(settings, credential, context) {
      const { api, parts } = await open(settings, credential, context);
      for (const part of parts) yield* listPartIds(part, settings, api);
    },
    async *fetchAgain(settings, credential, documentIds, context) {
      const { api, parts } = await open(settings, credential, context);
      const subjects = [...new Set(parts.map(({ subject }) => subject))];
      yield* fetchFilesAgain(documentIds, subjects, api, context);
    },
  });
}

export const googleDrive = createGoogleDriveConnector();

async function checkPart(part: DrivePart | undefined, api: DriveApi): Promise<void> {
  if (!part) throw new SourceRefused('No drive matches the settings.');
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

async function* listPartIds(
  part: DrivePart,
  settings: DriveSettings,
  api: DriveApi,
): AsyncGenerator<string[]> {
  let position: ReturnType<typeof startOfListing> | null = startOfListing(part, null);
  while (position !== null) {
    const { files, next } = await listFiles(part, position, filterOf(settings, null), api);
    const ids: string[] = [];
    for (const file of files) {
      // A shortcut's target may be in the trash by now, or no longer visible.
      const found = file.mimeType === SHORTCUT ? await targetOf(file, part.subject, api) : file;
      if (found && whyNotRead(found) === null) ids.push(documentIdOf(found.id));
    }
    yield ids;
    position = next;
  }
}
