import { z } from 'zod';
import type { OutboundResponse } from '#src/platform/http.ts';
import type { ConnectorContext } from '#src/connectors/source/connector.ts';
import type { GoogleAuth } from './google-auth.ts';
import { GOOGLE_HABITS } from './google-errors.ts';
import { CredentialRejected } from '#src/connectors/source/source-errors.ts';

const DRIVE_SCOPE = 'https://www.googleapis.com/auth/drive.readonly';
const DIRECTORY_SCOPE = 'https://www.googleapis.com/auth/admin.directory.user.readonly';

const text = z.string().nullish();
const person = z.object({ displayName: text, emailAddress: text });

/** https://developers.google.com/workspace/drive/api/reference/rest/v3/files */
export const driveFile = z.object({
  id: z.string(),
  name: z.string(),
  mimeType: z.string(),
  modifiedTime: text,
  /** Bytes; Google's own file types have none. */
  size: text,
  md5Checksum: text,
  webViewLink: text,
  trashed: z.boolean().nullish(),
  ownedByMe: z.boolean().nullish(),
  driveId: text,
  owners: z.array(person).nullish(),
  lastModifyingUser: person.nullish(),
  shortcutDetails: z.object({ targetId: text, targetMimeType: text }).nullish(),
  capabilities: z.object({ canDownload: z.boolean().nullish() }).nullish(),
});
export type DriveFile = z.infer<typeof driveFile>;

export const FILE_FIELDS =
  'id,name,mimeType,modifiedTime,size,md5Checksum,webViewLink,trashed,ownedByMe,driveId,owners(displayName,emailAddress),lastModifyingUser(displayName,emailAddress),shortcutDetails(targetId,targetMimeType),capabilities(canDownload)';

export const FOLDER = 'application/vnd.google-apps.folder';
export const SHORTCUT = 'application/vnd.google-apps.shortcut';

type Query = Record<string, string | null>;

export interface DriveApi {
  /** @param subject the user to act as, see `GoogleAuth.token` */
  read<T>(subject: string | null, path: string, query: Query, schema: z.ZodType<T>): Promise<T>;
  /** Null when the file does not exist, or not for this user. */
  file(subject: string | null, id: string): Promise<DriveFile | null>;
  /** 400, 403 and 404 are left to the caller. */
  bytes(
    subject: string | null,
    path: string,
    query: Query,
    maxBytes: number,
  ): Promise<OutboundResponse>;
  /** E-mail addresses of the domain's users who are not suspended. */
  users(admin: string | null): Promise<string[]>;
}

/** Google's base URLs; tests point them to their own server. */
export interface GoogleAddresses {
  apiBase: string;
  directoryBase: string;
}

/** Requests to the Drive API v3; a rejected token is renewed once. */
export function createDriveApi(
  addresses: GoogleAddresses,
  auth: GoogleAuth,
  context: ConnectorContext,
): DriveApi {
  const http = context.http.withHabits(GOOGLE_HABITS);

  async function asUser<T>(
    subject: string | null,
    scope: string,
    ask: (headers: Record<string, string>) => Promise<T>,
  ): Promise<T> {
    const token = await auth.token(subject, [scope]);
    try {
      return await ask({ authorization: `Bearer ${token}` });
    } catch (error) {
      if (!(error instanceof CredentialRejected)) throw error;
      auth.forget(token);
    }
    return ask({ authorization: `Bearer ${await auth.token(subject, [scope])}` });
  }

  const driveUrl = (path: string, query: Query): string =>
    withQuery(`${addresses.apiBase}/drive/v3/${path}`, query);
  const read: DriveApi['read'] = (subject, path, query, schema) =>
    asUser(subject, DRIVE_SCOPE, async (headers) => {
      const { data } = await http.json({ url: driveUrl(path, query), headers }, schema);
      return data;
    });
  return {
    read,
    async file(subject, id) {
      const query = { fields: FILE_FIELDS, supportsAllDrives: 'true' };
      const answer = z.union([driveFile, z.object({ error: z.unknown() })]);
      const url = driveUrl(`files/${encodeURIComponent(id)}`, query);
      const { data, response } = await asUser(subject, DRIVE_SCOPE, (headers) =>
        http.json({ url, headers, expect: [404] }, answer),
      );
      return response.status === 404 || !('id' in data) ? null : data;
    },
    bytes: (subject, path, query, maxBytes) =>
      asUser(subject, DRIVE_SCOPE, (headers) =>
        http.send({ url: driveUrl(path, query), headers, maxBytes, expect: [400, 403, 404] }),
      ),
    users: (admin) =>
      listUsers(addresses, admin, async (url, schema) => {
        const answer = await asUser(admin, DIRECTORY_SCOPE, (headers) =>
          http.json({ url, headers }, schema),
        );
        return answer.data;
      }),
  };
}

const userList = z.object({
  users: z
    .array(z.object({ primaryEmail: z.string(), suspended: z.boolean().nullish() }))
    .nullish(),
  nextPageToken: text,
});

/** https://developers.google.com/workspace/admin/directory/reference/rest/v1/users/list */
async function listUsers(
  { directoryBase }: GoogleAddresses,
  admin: string | null,
  read: (url: string, schema: typeof userList) => Promise<z.infer<typeof userList>>,
): Promise<string[]> {
  if (admin === null) {
    throw new CredentialRejected(
      'The users of the domain can only be listed as an administrator: give google_primary_admin, or name users in my_drive_emails.',
    );
  }
  const emails: string[] = [];
  let pageToken: string | null = null;
  do {
    const page: z.infer<typeof userList> = await read(
      withQuery(`${directoryBase}/admin/directory/v1/users`, {
        customer: 'my_customer',
        maxResults: '500',
        fields: 'nextPageToken,users(primaryEmail,suspended)',
        pageToken,
      }),
      userList,
    );
    for (const user of page.users ?? []) {
      if (user.suspended !== true) emails.push(user.primaryEmail.toLowerCase());
    }
    pageToken = page.nextPageToken ?? null;
  } while (pageToken !== null);
  return emails;
}

function withQuery(address: string, query: Query): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) {
    if (value !== null) url.searchParams.set(name, value);
  }
  return url.href;
}
