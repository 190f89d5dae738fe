import type { DocumentMetadata, StoredOwner } from '#src/tables.ts';
import type { ConnectorContext, ConnectorDocument, ConnectorPage } from './connector.ts';
import { type DriveApi, type DriveFile, FOLDER, SHORTCUT } from './drive-api.ts';
import { type DriveContent, readContent, whyNotRead } from './drive-content.ts';
import { fetchEach } from './fetch-each.ts';

const FILES_AT_ONCE = 4;

/**
 * The id of a file's document. The address that Drive shows (`webViewLink`) depends on the kind of the file, and a
 * change that says "gone" names the id alone; so every kind has this form, which opens all of them.
 */
export function documentIdOf(fileId: string): string {
  return `https://drive.google.com/file/d/${fileId}`;
}

/** Null for an id that is not of this form. */
export function fileIdOf(documentId: string): string | null {
  return /^https:\/\/drive\.google\.com\/file\/d\/([\w-]+)$/.exec(documentId)?.[1] ?? null;
}

type Findings = Omit<ConnectorPage<unknown>, 'checkpoint' | 'description' | 'estimatedTotal'>;

/** Sorts the files of one listing into a page and reads those that are not known as they are. Folders are passed over. */
export async function addFiles(
  page: Findings,
  listed: readonly DriveFile[],
  subject: string | null,
  api: DriveApi,
  context: ConnectorContext,
): Promise<void> {
  const files = await withTargets(page, listed, subject, api);
  const known = await context.recall(files.map(({ id }) => versionKey(id)));
  const toRead: DriveFile[] = [];
  for (const file of files) {
    const documentId = documentIdOf(file.id);
    const reason = whyNotRead(file);
    if (reason !== null) page.skipped.push({ documentId, reason });
    else if (file.size === '0') page.skipped.push({ documentId, reason: 'an empty file' });
    else if (known.get(versionKey(file.id)) === versionOf(file)) page.unchanged.push(documentId);
    else toRead.push(file);
  }
  // A few at a time, since each is held in memory until it is parsed.
  for (let start = 0; start < toRead.length; start += FILES_AT_ONCE) {
    const { results, failures } = await fetchEach(
      toRead.slice(start, start + FILES_AT_ONCE),
      ({ id }) => documentIdOf(id),
      async (file) => ({ file, content: await readContent(file, subject, api, context) }),
    );
    for (const { file, content } of results) addContent(page, file, content, subject);
    for (const failure of failures) {
      page.failures.push(failure);
      const fileId = fileIdOf(failure.documentId ?? '');
      if (fileId !== null) page.memory.push(readerEntry(fileId, subject));
    }
  }
}

/** Each file once, with shortcuts followed to what they point at. */
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
    const { targetId, targetMimeType } = shortcut.shortcutDetails ?? {};
    const skip = (reason: string): void => {
      page.skipped.push({ documentId: documentIdOf(shortcut.id), reason });
    };
    if (targetMimeType === FOLDER) {
      skip('a shortcut to a folder');
      continue;
    }
    const target = targetId ? (files.get(targetId) ?? (await api.file(subject, targetId))) : null;
    if (target === null || target.trashed === true) {
      skip('a shortcut to a file that cannot be seen');
    } else if (files.has(target.id)) {
      skip('a shortcut to a file that is there itself');
    } else {
      files.set(target.id, target);
    }
  }
  return [...files.values()];
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

/** Under this key it is remembered in which version a file was read. */
function versionKey(fileId: string): string {
  return `version:${fileId}`;
}

function versionOf({ modifiedTime, md5Checksum, name }: DriveFile): string {
  return `${modifiedTime ?? ''} ${md5Checksum ?? ''} ${name}`;
}

/** Under this key it is remembered as whom a failed file was read, for the next try. */
export function readerKey(fileId: string): string {
  return `reader:${fileId}`;
}

function readerEntry(fileId: string, subject: string | null) {
  return { key: readerKey(fileId), documentId: null, value: subject };
}
