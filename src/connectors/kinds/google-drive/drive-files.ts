import type { DocumentMetadata, StoredOwner } from '#src/tables/documents.ts';
import type {
  ConnectorContext,
  ConnectorDocument,
  ConnectorFailure,
  ConnectorPage,
} from '#src/connectors/source/connector.ts';
import { type DriveApi, type DriveFile, FOLDER, SHORTCUT } from './drive-api.ts';
import { type DriveContent, readContent, whyNotRead } from './drive-content.ts';
import { fetchEach } from '#src/connectors/source/fetch-each.ts';
import type { PageTime } from '#src/connectors/source/page-time.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

const FILES_AT_ONCE = 4;

/**
 * The id of a file's document. The URL that Drive shows (`webViewLink`) depends on the type of the file, and a change
 * that reports a deletion has only the id; so all types use this form, which opens any of them.
 */
export function documentIdOf(fileId: string): string {
  return `https://drive.google.com/file/d/${fileId}`;
}

/** Null for an id of another form. */
export function fileIdOf(documentId: string): string | null {
  return /^https:\/\/drive\.google\.com\/file\/d\/([\w-]+)$/.exec(documentId)?.[1] ?? null;
}

type Findings = Omit<ConnectorPage<unknown>, 'checkpoint' | 'description' | 'estimatedTotal'>;

/**
 * Sorts the files of one listing into a page and reads those that are new or changed. Skips folders.
 * @returns what is left to read when the time is up
 */
export async function addFiles(
  page: Findings,
  listed: readonly DriveFile[],
  subject: string | null,
  { api, context, time }: { api: DriveApi; context: ConnectorContext; time: PageTime },
): Promise<DriveFile[]> {
  const files = await withTargets(page, listed, subject, api);
  const known = await context.recall(files.map(({ id }) => versionKey(id)));
  const toRead: DriveFile[] = [];
  for (const file of files) {
    const documentId = documentIdOf(file.id);
    const reason = whyNotRead(file);
    if (reason !== null) {
      page.skipped.push({ documentId, reason });
      // A file read before must not stay in the index in its old state.
      if (known.has(versionKey(file.id))) page.removed.push(documentId);
    } else if (known.get(versionKey(file.id)) === versionOf(file)) page.unchanged.push(documentId);
    else toRead.push(file);
  }
  // A few at a time, because each is held in memory until it is parsed.
  for (let start = 0; start < toRead.length; start += FILES_AT_ONCE) {
    if (start > 0 && time.isOver()) return toRead.slice(start);
    const { results, failures } = await fetchEach(
      toRead.slice(start, start + FILES_AT_ONCE),
      ({ id }) => documentIdOf(id),
      async (file) => ({ file, content: await readContent(file, subject, api, context) }),
    );
    for (const { file, content } of results) addContent(page, file, content, subject);
    for (const failure of failures) addFailure(page, failure, subject);
  }
  return [];
}

function addFailure(page: Findings, failure: ConnectorFailure, subject: string | null): void {
  page.failures.push(failure);
  const fileId = fileIdOf(failure.documentId ?? '');
  if (fileId !== null) page.memory.push(readerEntry(fileId, subject));
}

/** Each file once, with shortcuts resolved to their targets. */
async function withTargets(
  page: Findings,
  listed: readonly DriveFile[],
  subject: string | null,
  api: DriveApi,
): Promise<DriveFile[]> {
  const files = new Map<string, DriveFile>();
  for (const file of listed) {
    if (file.mimeType !== FOLDER && file.mimeType !== SHORTCUT) files.set(file.id, file);
  }
  for (const shortcut of listed.filter(({ mimeType }) => mimeType === SHORTCUT)) {
    const skip = (reason: string): void => {
      page.skipped.push({ documentId: documentIdOf(shortcut.id), reason });
    };
    const { targetId, targetMimeType } = shortcut.shortcutDetails ?? {};
    if (targetMimeType === FOLDER) {
      skip('a shortcut to a folder');
      continue;
    }
    if (targetId && files.has(targetId)) {
      skip('a shortcut to a file that is indexed itself');
      continue;
    }
    const target = await findTarget(page, shortcut, subject, api);
    if (target === 'refused') continue;
    if (target === null) skip('a shortcut to a file that cannot be seen');
    else {
      files.set(target.id, target);
      const documentId = documentIdOf(target.id);
      page.memory.push({ key: shortcutKey(target.id), documentId, value: shortcut.id });
    }
  }
  return [...files.values()];
}

/** When Google refuses the request, only that file fails. */
async function findTarget(
  page: Findings,
  shortcut: DriveFile,
  subject: string | null,
  api: DriveApi,
): Promise<DriveFile | 'refused' | null> {
  const targetId = shortcut.shortcutDetails?.targetId ?? '';
  try {
    return await targetOf(shortcut, subject, api);
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error;
    const link = shortcut.webViewLink ?? documentIdOf(shortcut.id);
    const reason = `The target of the shortcut ${shortcut.name} was refused. ${error.message}`;
    addFailure(page, { documentId: documentIdOf(targetId), link, entityId: null, reason }, subject);
    return 'refused';
  }
}

/** Null when this user cannot see it, or it is in the trash. */
export async function targetOf(
  { shortcutDetails }: DriveFile,
  subject: string | null,
  api: DriveApi,
): Promise<DriveFile | null> {
  const targetId = shortcutDetails?.targetId;
  const target = targetId ? await api.file(subject, targetId) : null;
  const isFile = target && target.mimeType !== SHORTCUT && target.mimeType !== FOLDER;
  return isFile && target.trashed !== true ? target : null;
}

/** Files that are indexed because a shortcut points to them. */
export async function reachedByShortcut(
  files: readonly DriveFile[],
  context: ConnectorContext,
): Promise<Set<DriveFile>> {
  const known = await context.recall(files.map(({ id }) => shortcutKey(id)));
  return new Set(files.filter(({ id }) => known.has(shortcutKey(id))));
}

function shortcutKey(fileId: string): string {
  return `shortcut:${fileId}`;
}

function addContent(
  page: Findings,
  file: DriveFile,
  content: DriveContent,
  subject: string | null,
): void {
  const documentId = documentIdOf(file.id);
  const link = file.webViewLink ?? documentId;
  switch (content.kind) {
    case 'parsed':
      page.documents.push(toDocument(file, content.parsed, link));
      page.memory.push({ key: versionKey(file.id), documentId, value: versionOf(file) });
      return;
    case 'failed':
      page.failures.push({ documentId, link, entityId: null, reason: content.reason });
      page.memory.push(readerEntry(file.id, subject));
      return;
    case 'gone':
      page.removed.push(documentId);
  }
}

function toDocument(
  file: DriveFile,
  parsed: Extract<DriveContent, { kind: 'parsed' }>['parsed'],
  link: string,
): ConnectorDocument {
  const updatedAt = new Date(file.modifiedTime ?? '');
  const metadata: DocumentMetadata = { file_type: file.mimeType };
  const editor = file.lastModifyingUser?.displayName ?? file.lastModifyingUser?.emailAddress;
  if (editor) metadata['last_modified_by'] = editor;
  return {
    id: documentIdOf(file.id),
    semanticIdentifier: file.name,
    title: file.name,
    sections: parsed.sections.map(({ text }) => ({ text, link })),
    metadata,
    updatedAt: Number.isNaN(updatedAt.getTime()) ? null : updatedAt,
    primaryOwners: (file.owners ?? []).flatMap(ownerOf),
    secondaryOwners: file.lastModifyingUser ? ownerOf(file.lastModifyingUser) : [],
    source: null,
  };
}

function ownerOf(person: {
  displayName?: string | null | undefined;
  emailAddress?: string | null | undefined;
}): StoredOwner[] {
  const { displayName, emailAddress } = person;
  return displayName || emailAddress
    ? [{ display_name: displayName ?? null, email: emailAddress ?? null }]
    : [];
}

/** The key that remembers which version of a file was read. */
function versionKey(fileId: string): string {
  return `version:${fileId}`;
}

function versionOf({ modifiedTime, md5Checksum, name }: DriveFile): string {
  return `${modifiedTime ?? ''} ${md5Checksum ?? ''} ${name}`;
}

/** The key that remembers which user read a failed file, for the next try. */
export function readerKey(fileId: string): string {
  return `reader:${fileId}`;
}

function readerEntry(fileId: string, subject: string | null) {
  return { key: readerKey(fileId), documentId: null, value: subject };
}
