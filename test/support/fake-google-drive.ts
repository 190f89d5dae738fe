import { createHash, type KeyObject } from 'node:crypto';
import { grantToken } from './fake-google-token.ts';
import type { FakeAnswer, RecordedRequest } from './fake-source.ts';

export const ADMIN = 'admin@example.com';
export const DRIVE_ID = '0AHandbookDrive';
export const DOC = 'application/vnd.google-apps.document';
export const FOLDER = 'application/vnd.google-apps.folder';

/** A stored file; `content` is the result of an export or a download. */
export interface FakeFile {
  id: string;
  name: string;
  mimeType: string;
  modifiedTime: string;
  content: Buffer;
  trashed: boolean;
  parents: string[];
  driveId?: string;
  owner: string;
  visibility?: string;
  shortcutDetails?: { targetId: string; targetMimeType: string };
  capabilities?: { canDownload: boolean };
}

/** What tests control and inspect. */
export interface FakeDrive {
  readonly files: Map<string, FakeFile>;
  /** Users who left the domain. */
  readonly departed: Set<string>;
  /** Adds or changes a file without an entry in the list of changes, as happens when its folder is moved. */
  writeSilently(file: Partial<FakeFile> & { id: string; name: string }): void;
  /** Adds or changes a file, with an entry in the list of changes. */
  write(file: Partial<FakeFile> & { id: string; name: string }): void;
  /** Deletes a file permanently; only its id is left. */
  erase(id: string): void;
  /** Invalidates all change tokens issued so far. */
  expireChangeTokens(): void;
  /** Invalidates all access tokens issued so far. */
  revokeTokens(): void;
  /** Answers `invalid_grant` from now on. */
  refuseGrants(): void;
}

const NEW_FILE: Omit<FakeFile, 'id' | 'name'> = {
  mimeType: 'text/plain',
  content: Buffer.alloc(0),
  modifiedTime: '2026-01-01T00:00:00.000Z',
  trashed: false,
  parents: ['root'],
  owner: ADMIN,
};

export interface FakeGoogle extends FakeDrive {
  publicKey: KeyObject;
  /** Access token → the user it acts as. */
  tokens: Map<string, string>;
  changes: string[];
  firstChange: number;
  isGranting: boolean;
  /** Sorted by modification time; null after a write. */
  sorted: FakeFile[] | null;
}

export function createFakeDrive(publicKey: KeyObject): FakeGoogle {
  const state: FakeGoogle = {
    publicKey,
    files: new Map(),
    departed: new Set(),
    tokens: new Map(),
    changes: [],
    firstChange: 0,
    isGranting: true,
    sorted: null,
    write(file) {
      state.writeSilently(file);
      state.changes.push(file.id);
    },
    writeSilently(file) {
      const before = state.files.get(file.id) ?? NEW_FILE;
      state.files.set(file.id, { ...before, ...file });
      state.sorted = null;
    },
    erase(id) {
      state.files.delete(id);
      state.changes.push(id);
      state.sorted = null;
    },
    expireChangeTokens: () => void (state.firstChange = state.changes.length + 1),
    revokeTokens: () => state.tokens.clear(),
    refuseGrants: () => {
      state.isGranting = false;
      state.tokens.clear();
    },
  };
  return state;
}

/**
 * Google Drive with its token endpoint and the directory of its domain.
 *
 * https://developers.google.com/workspace/drive/api/reference/rest/v3,
 * https://developers.google.com/workspace/drive/api/guides/search-files,
 * https://developers.google.com/workspace/drive/api/guides/manage-changes,
 * https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
export function answerAsGoogle(state: FakeGoogle, request: RecordedRequest): FakeAnswer {
  const { pathname, searchParams: query } = request.url;
  if (pathname === '/token') return grantToken(state, new URLSearchParams(request.body));
  const user = state.tokens.get(
    /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '',
  );
  if (user === undefined) return error(401, 'authError', 'Invalid Credentials');
  if (pathname === '/admin/directory/v1/users') {
    const users = [
      { primaryEmail: ADMIN },
      { primaryEmail: 'Ben@example.com' },
      { primaryEmail: 'gone@example.com', suspended: true },
    ];
    return query.get('customer') === 'my_customer'
      ? { body: { users } }
      : error(400, 'badRequest', 'Bad Request');
  }
  if (pathname === '/drive/v3/drives') {
    return { body: { drives: [{ id: DRIVE_ID, name: 'Handbook' }] } };
  }
  if (pathname === `/drive/v3/drives/${DRIVE_ID}`) return { body: { id: DRIVE_ID } };
  if (pathname === '/drive/v3/files') return listFiles(state, query, user);
  if (pathname === '/drive/v3/changes/startPageToken') {
    return { body: { startPageToken: String(state.changes.length) } };
  }
  if (pathname === '/drive/v3/changes') return listChanges(state, query, user);
  const [, id = '', action] = /^\/drive\/v3\/files\/([^/]+)(\/export)?$/.exec(pathname) ?? [];
  const file = state.files.get(id);
  if (!file) return error(404, 'notFound', `File not found: ${id || pathname}.`);
  if (action) return exportFile(file, query.get('mimeType') ?? '');
  if (query.get('alt') !== 'media') return { body: resource(file, user) };
  if (file.mimeType.startsWith('application/vnd.google-apps.')) {
    return error(
      403,
      'fileNotDownloadable',
      'Only files with binary content can be downloaded. Use Export with Docs Editors files.',
    );
  }
  return { headers: { 'content-type': file.mimeType }, body: file.content };
}

/** A server may return fewer files than requested; this one does so while the store is small. */
function listFiles(state: FakeGoogle, query: URLSearchParams, user: string): FakeAnswer {
  const pageToken = query.get('pageToken');
  const after = pageToken === null ? '' : (/^after:(.+)$/.exec(pageToken)?.[1] ?? null);
  if (after === null) return error(400, 'invalid', 'Invalid Value', 'pageToken');
  const sorted = (state.sorted ??= [...state.files.values()].toSorted((left, right) =>
    placeOf(left) < placeOf(right) ? -1 : 1,
  ));
  const driveId = query.get('corpora') === 'drive' ? query.get('driveId') : null;
  const found: FakeFile[] = [];
  const size = state.files.size < 100 ? 3 : Number(query.get('pageSize') ?? '100');
  let at = firstAfter(sorted, after);
  for (; at < sorted.length && found.length < size; at += 1) {
    const file = sorted[at];
    const q = query.get('q') ?? '';
    if (file && isVisible(file, driveId, query) && matches(file, q, user)) found.push(file);
  }
  const last = sorted[at - 1];
  const next = at < sorted.length && last ? { nextPageToken: `after:${placeOf(last)}` } : {};
  return { body: { files: found.map((file) => resource(file, user)), ...next } };
}

/** A page token is a position in the sort order, not a count. */
function placeOf({ modifiedTime, id }: FakeFile): string {
  return `${modifiedTime} ${id}`;
}

function firstAfter(sorted: readonly FakeFile[], place: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const file = sorted[middle];
    if (file && placeOf(file) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isVisible(file: FakeFile, driveId: string | null, query: URLSearchParams): boolean {
  if (driveId !== null) return file.driveId === driveId;
  return file.driveId === undefined || query.get('includeItemsFromAllDrives') === 'true';
}

/** The conditions that the connector uses, joined by `and`; groups contain only `or`. */
function matches(file: FakeFile, q: string, user: string): boolean {
  if (q === '') return true;
  return q.split(/ and (?![^(]*\))/).every((group) =>
    group
      .replace(/^\((.*)\)$/, '$1')
      .split(' or ')
      .some((term) => {
        const [, parent] = /^'([^']+)' in parents$/.exec(term) ?? [];
        if (parent) return file.parents.includes(parent);
        if (term === "'me' in owners") return file.owner === user;
        if (term === "not 'me' in owners") return file.owner !== user;
        if (term === 'trashed = false') return !file.trashed;
        const [, negated, type] = /^mimeType (!?)= '([^']+)'$/.exec(term) ?? [];
        if (type) return (file.mimeType === type) !== (negated === '!');
        const [, since] = /^modifiedTime >= '([^']+)'$/.exec(term) ?? [];
        if (since) return file.modifiedTime >= since;
        if (term === "visibility != 'domainWithLink'") return file.visibility !== 'domainWithLink';
        throw new Error(`The fake does not support the condition ${term}.`);
      }),
  );
}

function listChanges(state: FakeGoogle, query: URLSearchParams, user: string): FakeAnswer {
  const start = Number(query.get('pageToken'));
  if (Number.isNaN(start) || start < state.firstChange) {
    return error(400, 'invalid', 'Invalid Value', 'pageToken');
  }
  const size = Math.min(Number(query.get('pageSize') ?? '100'), state.files.size < 100 ? 3 : 1_000);
  const slice = state.changes.slice(start, start + size);
  const driveId = query.get('driveId');
  const changes = [...new Set(slice)].flatMap((fileId) => {
    const file = state.files.get(fileId);
    if (!file) return [{ changeType: 'file', removed: true, fileId }];
    if ((file.driveId ?? null) !== driveId) return [];
    return [{ changeType: 'file', removed: false, fileId, file: resource(file, user) }];
  });
  const end = start + slice.length;
  return {
    body: {
      changes,
      ...(end < state.changes.length
        ? { nextPageToken: String(end) }
        : { newStartPageToken: String(end) }),
    },
  };
}

function exportFile(file: FakeFile, mediaType: string): FakeAnswer {
  const isOffered =
    file.mimeType === DOC
      ? ['text/markdown', 'text/html', 'text/plain'].includes(mediaType)
      : file.mimeType === 'application/vnd.google-apps.presentation' && mediaType === 'text/plain';
  if (!isOffered) return error(400, 'badRequest', 'The requested conversion is not supported.');
  if (file.content.length > 10 * 1024 * 1024) {
    return error(403, 'exportSizeLimitExceeded', 'This file is too large to be exported.');
  }
  return { headers: { 'content-type': mediaType }, body: file.content };
}

function resource(file: FakeFile, user: string): object {
  const { content, visibility: _, parents: __, owner, ...fields } = file;
  const isGoogle = file.mimeType.startsWith('application/vnd.google-apps.');
  return {
    ...fields,
    webViewLink: isGoogle
      ? `https://docs.google.com/document/d/${file.id}/edit?usp=drivesdk`
      : `https://drive.google.com/file/d/${file.id}/view?usp=drivesdk`,
    ...(file.driveId === undefined && {
      ownedByMe: owner === user,
      owners: [{ displayName: owner.split('@')[0], emailAddress: owner }],
    }),
    ...(!isGoogle && {
      size: String(content.length),
      md5Checksum: createHash('md5').update(content).digest('hex'),
    }),
  };
}

export function error(
  status: number,
  reason: string,
  message: string,
  location?: string,
): FakeAnswer {
  const details = {
    domain: 'global',
    reason,
    message,
    ...(location && { location, locationType: 'parameter' }),
  };
  return { status, body: { error: { code: status, message, errors: [details] } } };
}
