import { extname, posix } from 'node:path';
import { GiveUp } from '#src/platform/errors.ts';
import { OutboundError } from '#src/platform/http.ts';
import type { ConnectorContext, ConnectorDocument, ConnectorPage } from './connector.ts';
import { fetchEach } from './fetch-each.ts';

/** One file of a Git repository, as listed in its tree. */
export interface RepositoryFile {
  /** The URL at which people see it; also its document id. */
  url: string;
  path: string;
  /** Hash of the blob: equal content has an equal hash. */
  sha: string;
  /** Null when the listing does not state it. */
  bytes: number | null;
  isLink: boolean;
}

export interface FilesOfRepository {
  /** For display: `owner/name`. */
  repository: string;
  branch: string;
  read(file: RepositoryFile, maxBytes: number): Promise<Buffer>;
}

const MAX_TEXT_BYTES = 1_000_000;
const MAX_DOCUMENT_BYTES = 20_000_000;
const DOCUMENT_EXTENSIONS = new Set(['.pdf', '.docx', '.pptx', '.xlsx', '.epub']);
const BINARY_EXTENSIONS = new Set(
  (
    '.png .jpg .jpeg .gif .webp .avif .bmp .ico .icns .tif .tiff .psd .ai .sketch .fig .heic .mp3 .wav .ogg .flac .m4a ' +
    '.aac .mp4 .mov .avi .mkv .webm .wmv .zip .gz .tgz .bz2 .xz .zst .7z .rar .tar .jar .war .ear .whl .gem .nupkg .apk ' +
    '.ipa .dmg .iso .deb .rpm .msi .exe .dll .so .dylib .a .lib .o .obj .class .pyc .wasm .bin .dat .db .sqlite .sqlite3 ' +
    '.woff .woff2 .ttf .otf .eot .parquet .avro .onnx .pt .pth .npy .npz .pkl .h5 .blend .glb .fbx .doc .xls .ppt .p12 .pfx .jks'
  ).split(' '),
);
/** Git searches this many bytes for a NUL before it treats a file as text. */
const BINARY_SNIFF_BYTES = 8_000;
const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

/** Why a file is not read at all, judging by the listing; null when it is read. */
export function skipReason({ path, bytes, isLink }: RepositoryFile): string | null {
  if (isLink) return 'symbolic link';
  if (BINARY_EXTENSIONS.has(extensionOf(path))) return 'not a text file';
  if (bytes === 0) return 'empty file';
  if (bytes !== null && bytes > maxBytesOf(path)) return 'file too large';
  return null;
}

type FilePortion = Pick<
  ConnectorPage<unknown>,
  'documents' | 'unchanged' | 'skipped' | 'failures' | 'removed' | 'memory'
>;

/** Reads the files whose content was not read before, and remembers the hashes of their blobs. */
export async function readRepositoryFiles(
  files: readonly RepositoryFile[],
  source: FilesOfRepository,
  context: ConnectorContext,
): Promise<FilePortion> {
  const known = await context.recall(files.map(memoryKey));
  const unchanged: string[] = [];
  const skipped: FilePortion['skipped'] = [];
  const changed: RepositoryFile[] = [];
  for (const file of files) {
    const mark = known.get(memoryKey(file));
    const reason = skipReason(file) ?? rememberedSkip(file, mark);
    if (reason) skipped.push({ documentId: file.url, reason });
    else if (mark === readMark(file)) unchanged.push(file.url);
    else changed.push(file);
  }
  const { results, failures } = await fetchEach(
    changed,
    ({ url }) => url,
    (file) => readFile(file, source, context),
  );
  const portion: FilePortion = {
    documents: [],
    unchanged,
    skipped,
    failures,
    removed: [],
    memory: [],
  };
  for (const result of results) record(result, portion);
  // A file that was read before and is now skipped must not stay in the index in its old state.
  portion.removed = skipped
    .flatMap(({ documentId }) => documentId ?? [])
    .filter((url) => {
      const mark = known.get(`file:${url}`);
      return typeof mark === 'string' && mark.startsWith('read:');
    });
  return portion;
}

type ReadFile =
  | { kind: 'read'; file: RepositoryFile; document: ConnectorDocument }
  | { kind: 'skipped'; file: RepositoryFile; reason: string }
  | { kind: 'failed'; file: RepositoryFile; reason: string };

function record(result: ReadFile, portion: FilePortion): void {
  const { kind, file } = result;
  const key = memoryKey(file);
  switch (kind) {
    case 'read':
      portion.documents.push(result.document);
      portion.memory.push({ key, documentId: file.url, value: readMark(file) });
      break;
    case 'skipped':
      portion.skipped.push({ documentId: file.url, reason: result.reason });
      portion.memory.push({ key, documentId: null, value: skippedMark(file, result.reason) });
      break;
    case 'failed': {
      const { reason } = result;
      portion.failures.push({ documentId: file.url, link: file.url, entityId: null, reason });
    }
  }
}

async function readFile(
  file: RepositoryFile,
  source: FilesOfRepository,
  context: ConnectorContext,
): Promise<ReadFile> {
  let bytes: Buffer;
  try {
    bytes = await source.read(file, maxBytesOf(file.path));
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    return { kind: 'skipped', file, reason: 'file too large' };
  }
  const reason = skipReasonOfContent(file.path, bytes);
  if (reason) return { kind: 'skipped', file, reason };
  try {
    const parsed = await context.parse({ name: posix.basename(file.path), bytes });
    return { kind: 'read', file, document: documentOf(file, source, parsed) };
  } catch (error) {
    if (!(error instanceof GiveUp)) throw error;
    return { kind: 'failed', file, reason: error.message };
  }
}

function documentOf(
  { url, path }: RepositoryFile,
  { repository, branch }: FilesOfRepository,
  parsed: Awaited<ReturnType<ConnectorContext['parse']>>,
): ConnectorDocument {
  return {
    id: url,
    semanticIdentifier: `${repository}: ${path}`,
    title: path,
    sections: parsed.sections.map(({ text, link }) => ({ text, link: `${url}${link ?? ''}` })),
    metadata: { ...parsed.metadata, object_type: 'file', repo: repository, branch },
    updatedAt: null,
    primaryOwners: [],
    secondaryOwners: [],
    source: null,
  };
}

function skipReasonOfContent(path: string, bytes: Buffer): string | null {
  if (bytes.length === 0) return 'empty file';
  if (DOCUMENT_EXTENSIONS.has(extensionOf(path))) return null;
  const isUtf16 = bytes.length > 1 && ['fffe', 'feff'].includes(bytes.toString('hex', 0, 2));
  if (isUtf16) return null;
  if (bytes.subarray(0, BINARY_SNIFF_BYTES).includes(0)) return 'not a text file';
  const text = bytes.toString('utf8');
  if (text.startsWith(LFS_POINTER)) return 'kept in Git LFS';
  return text.trim() === '' ? 'empty file' : null;
}

function isTooLarge(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return [error, cause].some((each) => each instanceof OutboundError && each.kind === 'too-large');
}

function maxBytesOf(path: string): number {
  return DOCUMENT_EXTENSIONS.has(extensionOf(path)) ? MAX_DOCUMENT_BYTES : MAX_TEXT_BYTES;
}

const extensionOf = (path: string): string => extname(path).toLowerCase();
const memoryKey = ({ url }: RepositoryFile): string => `file:${url}`;
const readMark = ({ sha }: RepositoryFile): string => `read:${sha}`;
const skippedMark = ({ sha }: RepositoryFile, reason: string): string => `skipped:${sha}:${reason}`;

/** Why the same content was skipped before; null when it was not. */
function rememberedSkip(file: RepositoryFile, mark: unknown): string | null {
  const prefix = skippedMark(file, '');
  return typeof mark === 'string' && mark.startsWith(prefix) ? mark.slice(prefix.length) : null;
}
