import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import iconv from 'iconv-lite';
import { GiveUp } from '#src/platform/errors.ts';

/** Record layouts of the ZIP file format: PKWARE APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16. */
const LOCAL_HEADER = { signature: 0x04034b50, bytes: 30 };
const DIRECTORY_ENTRY = { signature: 0x02014b50, bytes: 46 };
const END_OF_DIRECTORY = { signature: 0x06054b50, bytes: 22, maxCommentBytes: 0xffff };
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED_FLAG = 0x0001;

/** A zip container in memory, with the name used for it in messages. */
export interface ZipFile {
  name: string;
  /** The format used in messages: `DOCX`, `EPUB`, `ZIP`. */
  format: string;
  bytes: Uint8Array;
}

/** One entry as described in the container's directory; the sizes may be false. */
export interface ZipEntry {
  name: string;
  method: number;
  isEncrypted: boolean;
  packedBytes: number;
  inflatedBytes: number;
  headerOffset: number;
}

export interface ZipLimits {
  entries: number;
  /** Unpacked size of all entries together. */
  inflatedBytes: number;
}

const inflate = promisify(inflateRaw);

/**
 * Reads the directory of a container without unpacking anything.
 * @throws GiveUp when it is damaged or exceeds the limits
 */
export function readZipDirectory(file: ZipFile, limits: ZipLimits): ZipEntry[] {
  const zip = bufferOf(file);
  const end = findEnd(zip);
  if (end === null) throw damaged(file, 'its end is missing; it may be cut off');
  const count = zip.readUInt16LE(end + 10);
  const directoryBytes = zip.readUInt32LE(end + 12);
  const start = zip.readUInt32LE(end + 16);
  // 0xffff entries indicate ZIP64, which is for archives far above every limit here.
  if (count > limits.entries) {
    throw new GiveUp(
      `${file.name} holds ${count} entries; the limit is ${limits.entries} (zip bomb?).`,
    );
  }
  if (start + directoryBytes !== end) {
    throw damaged(file, 'its directory is not where it should be');
  }
  const entries = readEntries(file, zip, { start, end, count });
  const total = entries.reduce((sum, entry) => sum + entry.inflatedBytes, 0);
  if (total > limits.inflatedBytes) {
    throw new GiveUp(
      `${file.name} unpacks to ${megabytes(total)} MB; the limit is ${megabytes(limits.inflatedBytes)} MB (zip bomb?).`,
    );
  }
  return entries;
}

/**
 * Unpacks one entry off the main thread, up to the size that the directory declares.
 * @throws GiveUp when it is damaged, larger than declared, protected, or compressed with an uncommon method
 */
export async function inflateZipEntry(file: ZipFile, entry: ZipEntry): Promise<Buffer> {
  const { packedBytes, inflatedBytes, method } = entry;
  const packed = packedEntry(file, entry);
  if (entry.isEncrypted) {
    throw new GiveUp(`${file.name} is protected by a password; save it without one.`);
  }
  if (method === STORED) {
    if (packedBytes !== inflatedBytes) throw damaged(file, 'a stored entry has two sizes');
    return packed;
  }
  if (method !== DEFLATED) {
    throw new GiveUp(
      `${file.name} uses zip compression method ${method}; save it again with the usual one (deflate).`,
    );
  }
  try {
    return await inflate(packed, { maxOutputLength: Math.max(1, inflatedBytes) });
  } catch (error) {
    const tooLarge = error instanceof RangeError;
    throw damaged(
      file,
      tooLarge
        ? 'an entry unpacks to more than it declares (zip bomb?)'
        : 'an entry does not unpack',
      error,
    );
  }
}

/** The content of an uncompressed entry; null for others. */
export function storedZipEntry(file: ZipFile, entry: ZipEntry): Buffer | null {
  return entry.method === STORED ? packedEntry(file, entry) : null;
}

function readEntries(
  file: ZipFile,
  zip: Buffer,
  { start, end, count }: { start: number; end: number; count: number },
): ZipEntry[] {
  const entries: ZipEntry[] = [];
  let offset = start;
  for (let index = 0; index < count; index += 1) {
    const names = offset + DIRECTORY_ENTRY.bytes;
    if (names > end || zip.readUInt32LE(offset) !== DIRECTORY_ENTRY.signature) {
      throw damaged(file, `its directory breaks off at entry ${index + 1}`);
    }
    const nameEnd = names + zip.readUInt16LE(offset + 28);
    entries.push({
      name: decodeName(zip.subarray(names, nameEnd)),
      isEncrypted: (zip.readUInt16LE(offset + 8) & ENCRYPTED_FLAG) !== 0,
      method: zip.readUInt16LE(offset + 10),
      packedBytes: zip.readUInt32LE(offset + 20),
      inflatedBytes: zip.readUInt32LE(offset + 24),
      headerOffset: zip.readUInt32LE(offset + 42),
    });
    offset = nameEnd + zip.readUInt16LE(offset + 30) + zip.readUInt16LE(offset + 32);
  }
  // Libraries read past the declared count, so the directory must end here.
  if (offset !== end) {
    throw damaged(file, 'its directory has another number of entries than it says');
  }
  return entries;
}

function findEnd(zip: Buffer): number | null {
  const last = zip.length - END_OF_DIRECTORY.bytes;
  const first = Math.max(0, last - END_OF_DIRECTORY.maxCommentBytes);
  for (let offset = last; offset >= first; offset -= 1) {
    if (zip.readUInt32LE(offset) === END_OF_DIRECTORY.signature) return offset;
  }
  return null;
}

function packedEntry(file: ZipFile, { headerOffset, packedBytes }: ZipEntry): Buffer {
  const zip = bufferOf(file);
  if (
    headerOffset + LOCAL_HEADER.bytes > zip.length ||
    zip.readUInt32LE(headerOffset) !== LOCAL_HEADER.signature
  ) {
    throw damaged(file, 'an entry is not where the directory says');
  }
  const start =
    headerOffset +
    LOCAL_HEADER.bytes +
    zip.readUInt16LE(headerOffset + 26) +
    zip.readUInt16LE(headerOffset + 28);
  const packed = zip.subarray(start, start + packedBytes);
  if (packed.length !== packedBytes) throw damaged(file, 'an entry reaches past its end');
  return packed;
}

/** UTF-8 by flag or if the bytes are valid; otherwise the original code page of the format (APPNOTE, appendix D). */
function decodeName(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : iconv.decode(bytes, 'cp437');
}

function bufferOf({ bytes }: ZipFile): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}

function damaged({ name, format }: ZipFile, detail: string, cause?: unknown): GiveUp {
  return new GiveUp(`${name} is a damaged ${format} file: ${detail}.`, { cause });
}
