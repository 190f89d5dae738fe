import { z } from 'zod';
import type { FileToParse } from '#src/files/parsed-file.ts';
import type { StoredFileId } from '#src/ids.ts';
import { GiveUp } from '#src/platform/errors.ts';
import {
  type ConnectorContext,
  type ConnectorDocument,
  type ConnectorFailure,
  type ConnectorPage,
  defineConnector,
  pageOf,
  type PollContext,
} from '#src/connectors/source/connector.ts';
import { type FileList, type OpenedFile, openFileList, openListedFile } from './file-list.ts';
import { type FileMetadata, parseFileMetadata, toTags } from './file-metadata.ts';
import {
  type FileCredential,
  fileCredential,
  type FileSettings,
  fileSettings,
  fileKey,
} from './file-settings.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

const FILES_PER_PAGE = 16;
/** A page closes when the files read for it reach this size together: the text is mostly smaller than its file. */
const BYTES_PER_PAGE = 8 * 1024 * 1024;
const IDS_PER_PORTION = 500;

const checkpoint = z.object({ last: z.string().describe('The last file that was read.') });
type Checkpoint = z.output<typeof checkpoint>;

const remembered = z.object({ documentId: z.string(), fingerprint: z.string() });

/** Uploaded files. A file never changes under its id, so what has been indexed is not read again. */
export const fileConnector = defineConnector<FileSettings, FileCredential, Checkpoint>({
  kind: 'file',
  aliases: [],
  title: 'Files',
  summary:
    'Uploaded files: text, Markdown, HTML, PDF, DOCX, PPTX, XLSX, CSV, TSV, EML, EPUB, and zips of them.',
  settings: fileSettings,
  credential: fileCredential,
  checkpoint,
  limits: { concurrentRequests: 1, requestsPerSecond: null, documentsPerPage: FILES_PER_PAGE },
  defaultRefreshSeconds: 86_400,

  async check(settings, _credential, context) {
    const { files } = await openFileList(settings, context);
    for (const { id } of files) {
      context.signal.throwIfAborted();
      if (!(await context.files.exists(id))) {
        throw new SourceRefused(`file_locations: there is no file ${id}. Upload it first.`);
      }
    }
  },

  async *poll(settings, credential, from, context) {
    const list = await openFileList(settings, context);
    const { files } = list;
    const password = credential.pdf_password ?? null;
    // Also 0 when the file is no longer named: a file read twice is found unchanged.
    let next = from === null ? 0 : files.findIndex(({ id }) => id === from.last) + 1;
    while (next < files.length) {
      const page = await readPage(
        list,
        files.slice(next, next + FILES_PER_PAGE),
        password,
        context,
      );
      const last = files[next + page.taken - 1];
      if (last === undefined) return; // a page holds at least one file
      next += page.taken;
      yield pageOf({
        ...page.found,
        checkpoint: { last: last.id },
        description: `${next} of ${files.length} files`,
        estimatedTotal: files.length,
      });
    }
  },

  async *listIds(settings, _credential, context) {
    const list = await openFileList(settings, context);
    for (let start = 0; start < list.files.length; start += IDS_PER_PORTION) {
      const portion = list.files.slice(start, start + IDS_PER_PORTION);
      const known = await recallFiles(list, portion, context);
      const ids: string[] = [];
      for (const file of portion) {
        context.signal.throwIfAborted();
        const id = known.get(file.id) ?? (await documentIdOf(list, file, context));
        if (id !== null) ids.push(id);
      }
      yield ids;
    }
  },
});

type ListedFile = FileList['files'][number];
type Found = Pick<ConnectorPage<unknown>, 'documents' | 'unchanged' | 'failures' | 'memory'>;

/**
 * Reads files until the page is full.
 * @returns what was found, and how many of the files were read
 */
async function readPage(
  list: FileList,
  files: ListedFile[],
  password: string | null,
  context: PollContext,
): Promise<{ found: Found; taken: number }> {
  const found: Found = { documents: [], unchanged: [], failures: [], memory: [] };
  const known = await recallFiles(list, context.since === null ? [] : files, context);
  let taken = 0;
  let bytes = 0;
  for (const file of files) {
    context.signal.throwIfAborted();
    taken += 1;
    const documentId = known.get(file.id);
    if (documentId !== undefined) {
      found.unchanged.push(documentId);
      continue;
    }
    bytes += await readOne(list, file, password, context, found);
    if (bytes >= BYTES_PER_PAGE) break;
  }
  return { found, taken };
}

/** The document ids of files that are already indexed in their present state. */
async function recallFiles(
  list: FileList,
  files: ListedFile[],
  context: ConnectorContext,
): Promise<Map<StoredFileId, string>> {
  const values = await context.recall(files.map(({ id }) => fileKey(id)));
  const known = new Map<StoredFileId, string>();
  for (const file of files) {
    const value = remembered.safeParse(values.get(fileKey(file.id)));
    if (value.success && value.data.fingerprint === list.fingerprint(file)) {
      known.set(file.id, value.data.documentId);
    }
  }
  return known;
}

/**
 * Adds a file to the page, as a document or a failure.
 * @returns its size
 */
async function readOne(
  list: FileList,
  file: ListedFile,
  password: string | null,
  context: ConnectorContext,
  found: Found,
): Promise<number> {
  // Becomes more exact with every step that succeeds.
  const failure: ConnectorFailure = {
    documentId: defaultId(file.id),
    link: null,
    entityId: null,
    reason: '',
  };
  let bytes = 0;
  try {
    const opened = await openListedFile(list, file, context);
    if (opened === null) throw new GiveUp(`${file.name ?? file.id} is no longer stored.`);
    bytes = opened.bytes.length;
    const metadata = parseFileMetadata(opened.keys);
    failure.link = metadata.link;
    failure.documentId = metadata.id ?? defaultId(file.id);
    const document = await parseDocument(file.id, opened, metadata, password, context);
    found.documents.push(document);
    const value = { documentId: document.id, fingerprint: list.fingerprint(file) };
    found.memory.push({ key: fileKey(file.id), documentId: document.id, value });
  } catch (error) {
    if (!(error instanceof GiveUp)) throw error;
    found.failures.push({ ...failure, reason: error.message });
  }
  return bytes;
}

async function parseDocument(
  fileId: StoredFileId,
  { name, bytes }: OpenedFile,
  metadata: FileMetadata,
  password: string | null,
  context: ConnectorContext,
): Promise<ConnectorDocument> {
  const file: FileToParse = { name, bytes, ...(password === null ? {} : { password }) };
  const parsed = await context.parse(file);
  const { link } = metadata;
  return {
    id: metadata.id ?? defaultId(fileId),
    semanticIdentifier: metadata.displayName ?? metadata.title ?? parsed.title,
    title: metadata.title ?? parsed.title,
    sections: parsed.sections.map((section) => ({
      text: section.text,
      link: link !== null && !link.includes('#') ? `${link}${section.link ?? ''}` : link,
    })),
    metadata: { ...toTags(parsed.metadata), ...metadata.tags },
    updatedAt: metadata.updatedAt,
    primaryOwners: metadata.primaryOwners,
    secondaryOwners: metadata.secondaryOwners,
    source: metadata.source,
  };
}

/** Null for a file that is gone: its document is removed, too. */
async function documentIdOf(
  list: FileList,
  file: ListedFile,
  context: ConnectorContext,
): Promise<string | null> {
  try {
    const opened = await openListedFile(list, file, context);
    return opened === null ? null : (parseFileMetadata(opened.keys).id ?? defaultId(file.id));
  } catch (error) {
    if (error instanceof GiveUp) return defaultId(file.id);
    throw error;
  }
}

function defaultId(id: StoredFileId): string {
  return `FILE_CONNECTOR__${id}`;
}
