import { z } from 'zod';
import type { DriveApi } from './drive-api.ts';
import type { DriveSettings } from './drive-settings.ts';
import type { GoogleAuth, GoogleCredential } from './google-auth.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

/** A drive or folder that is read as a whole, as one user. */
export interface DrivePart {
  /** Orders the parts, and names one in checkpoints and memory; the same in every run. */
  key: string;
  subject: string | null;
  /** For display: "shared drive Handbook". */
  title: string;
  scope:
    | { kind: 'user'; mine: boolean; shared: boolean }
    | { kind: 'drive'; driveId: string }
    | { kind: 'folder'; folderId: string };
}

/**
 * The parts that the settings name, in reading order. Users and drives come before folders: folders are read in full
 * each time, which corrects what the others removed.
 */
export async function findParts(
  settings: DriveSettings,
  credential: GoogleCredential,
  auth: GoogleAuth,
  api: DriveApi,
): Promise<DrivePart[]> {
  const admin = auth.canImpersonate
    ? (credential.google_primary_admin?.toLowerCase() ?? null)
    : null;
  if (!auth.canImpersonate) refuseOtherUsers(settings, credential);
  const named = auth.canImpersonate ? settings.specific_user_emails : [];
  const readers: (string | null)[] = named.length > 0 ? named : [admin];
  const parts = [
    ...userParts(settings, readers, await owners(settings, auth, api, admin, named)),
    ...(await driveParts(settings, readers, api)),
    ...settings.shared_folder_urls.map((folderId): DrivePart => ({
      key: `3:folder:${folderId}`,
      subject: readers[0] ?? null,
      title: `folder ${folderId}`,
      scope: { kind: 'folder', folderId },
    })),
  ];
  return parts.toSorted((left, right) => (left.key < right.key ? -1 : 1));
}

function refuseOtherUsers(settings: DriveSettings, credential: GoogleCredential): void {
  const own = credential.google_primary_admin?.toLowerCase();
  const other = [...settings.my_drive_emails, ...settings.specific_user_emails].find(
    (email) => email !== own,
  );
  if (other === undefined) return;
  throw new SourceRefused(
    `my_drive_emails and specific_user_emails need google_service_account_key: the tokens of one user cannot read as ${other}.`,
  );
}

/** The users whose My Drive is read. */
async function owners(
  settings: DriveSettings,
  auth: GoogleAuth,
  api: DriveApi,
  admin: string | null,
  named: readonly string[],
): Promise<(string | null)[]> {
  if (!auth.canImpersonate) {
    const emails = [...settings.my_drive_emails, ...settings.specific_user_emails];
    return settings.include_my_drives || emails.length > 0 ? [null] : [];
  }
  const isNamedAlone =
    named.length > 0 &&
    !settings.include_shared_drives &&
    !settings.include_files_shared_with_me &&
    [settings.my_drive_emails, settings.shared_drive_urls, settings.shared_folder_urls].every(
      (list) => list.length === 0,
    );
  if (!settings.include_my_drives && !isNamedAlone) return settings.my_drive_emails;
  const everybody = named.length > 0 ? named : await api.users(admin);
  return [...new Set([...settings.my_drive_emails, ...everybody])];
}

function userParts(
  settings: DriveSettings,
  readers: readonly (string | null)[],
  mine: readonly (string | null)[],
): DrivePart[] {
  const shared = settings.include_files_shared_with_me ? readers : [];
  return [...new Set([...mine, ...shared])].map((subject) => ({
    key: `1:user:${subject ?? ''}`,
    subject,
    title: subject === null ? 'My Drive' : `files of ${subject}`,
    scope: { kind: 'user', mine: mine.includes(subject), shared: shared.includes(subject) },
  }));
}

const driveList = z.object({
  drives: z.array(z.object({ id: z.string(), name: z.string().nullish() })).nullish(),
  nextPageToken: z.string().nullish(),
});

/** https://developers.google.com/workspace/drive/api/reference/rest/v3/drives/list */
async function driveParts(
  settings: DriveSettings,
  readers: readonly (string | null)[],
  api: DriveApi,
): Promise<DrivePart[]> {
  const parts = new Map<string, DrivePart>();
  const add = (driveId: string, subject: string | null, name: string): void => {
    if (parts.has(driveId)) return;
    const title = `shared drive ${name}`;
    parts.set(driveId, {
      key: `2:drive:${driveId}`,
      subject,
      title,
      scope: { kind: 'drive', driveId },
    });
  };
  for (const subject of settings.include_shared_drives ? readers : []) {
    let pageToken: string | null = null;
    do {
      const fields = 'nextPageToken,drives(id,name)';
      const query: Record<string, string | null> = { pageSize: '100', fields, pageToken };
      const page: z.infer<typeof driveList> = await api.read(subject, 'drives', query, driveList);
      for (const drive of page.drives ?? []) add(drive.id, subject, drive.name ?? drive.id);
      pageToken = page.nextPageToken ?? null;
    } while (pageToken !== null);
  }
  for (const driveId of settings.shared_drive_urls) add(driveId, readers[0] ?? null, driveId);
  return [...parts.values()];
}
