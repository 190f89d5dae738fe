import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { GiveUp } from '#src/platform/errors.ts';

const MAX_ENTRIES = 5_000;
const MAX_INFLATED_BYTES = 200 * 1024 * 1024;

/** Record layouts of the ZIP file format: PKWARE APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16. */
const LOCAL_HEADER = { signature: 0x04034b50, bytes: 30 };
const DIRECTORY_ENTRY = { signature: 0x02014b50, bytes: 46 };
const END_OF_DIRECTORY = { signature: 0x06054b50, bytes: 22, maxCommentBytes: 0xffff };
const STORED = 0;
const DEFLATED = 8;

interface ZipEntry {
  method: number;
  packedBytes: number;
  inflatedBytes: number;
  headerOffset: number;
}

const inflate = promisify(inflateRaw);

/**
 * Proves that unpacking a zip container stays within bounds before a library unpacks it whole.
 * Sizes in the directory may lie, so each entry is inflated here up to its declared size.
 * @throws GiveUp when the container is damaged, a zip bomb, or of a variant that no DOCX uses
 */
export async function checkZip(name: string, bytes: Uint8Array): Promise<void> {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const entries = readDirectory(name, zip);
  const total = entries.reduce((sum, entry) => sum + entry.inflatedBytes, 0);
  if (total > MAX_INFLATED_BYTES) {
    throw new GiveUp(
      `${name} unpacks to ${Math.round(total / 1024 / 1024)} MB; the limit is ${MAX_INFLATED_BYTES / 1024 / 1024} MB (zip bomb?).`,
    );
  }
  for (const entry of entries) {
    // In turn, so that one entry at a time is in memory.
    await checkEntry(name, zip, entry);
  }
}

function readDirectory(name: string, zip: Buffer): ZipEntry[] {
  const end = findEnd(zip);
  if (end === null) throw damaged(name, 'its end is missing; it may be cut off');
  const count = zip.readUInt16LE(end + 10);
  const directoryBytes = zip.readUInt32LE(end + 12);
  const start = zip.readUInt32LE(end + 16);
  // 0xffff entries mark ZIP64, which exists for archives that are far above every limit here.
  if (count > MAX_ENTRIES) {
    throw new GiveUp(`${name} holds ${count} entries; the limit is ${MAX_ENTRIES} (zip bomb?).`);
  }
  if (start + directoryBytes !== end)
    throw damaged(name, 'its directory is not where it should be');
  const entries: ZipEntry[] = [];
  let offset = start;
  for (let index = 0; index < count; index += 1) {
    if (
      offset + DIRECTORY_ENTRY.bytes > end ||
      zip.readUInt32LE(offset) !== DIRECTORY_ENTRY.signature
    ) {
      throw damaged(name, `its directory breaks off at entry ${index + 1}`);
    }
    entries.push({
      method: zip.readUInt16LE(offset + 10),
      packedBytes: zip.readUInt32LE(offset + 20),
      inflatedBytes: zip.readUInt32LE(offset + 24),
      headerOffset: zip.readUInt32LE(offset + 42),
    });
    const variableBytes = [28, 30, 32].map((field) => zip.readUInt16LE(offset + field));
    offset += DIRECTORY_ENTRY.bytes + variableBytes.reduce((sum, length) => sum + length, 0);
  }
  // Libraries read on past the declared count, so nothing may be left over.
  if (offset !== end)
    throw damaged(name, 'its directory has another number of entries than it says');
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

async function checkEntry(name: string, zip: Buffer, entry: ZipEntry): Promise<void> {
  const { headerOffset, packedBytes, inflatedBytes, method } = entry;
  if (
    headerOffset + LOCAL_HEADER.bytes > zip.length ||
    zip.readUInt32LE(headerOffset) !== LOCAL_HEADER.signature
  ) {
    throw damaged(name, 'an entry is not where the directory says');
  }
  const start =
    headerOffset +
    LOCAL_HEADER.bytes +
    zip.readUInt16LE(headerOffset + 26) +
    zip.readUInt16LE(headerOffset + 28);
  const packed = zip.subarray(start, start + packedBytes);
  if (packed.length !== packedBytes) throw damaged(name, 'an entry reaches past its end');
  if (method === STORED) {
    if (packedBytes !== inflatedBytes) throw damaged(name, 'a stored entry has two sizes');
  } else if (method === DEFLATED) {
    await inflateWithin(name, packed, inflatedBytes);
  } else {
    throw new GiveUp(
      `${name} uses zip compression method ${method}; save it again as a DOCX file.`,
    );
  }
}

async function inflateWithin(name: string, packed: Buffer, limitBytes: number): Promise<void> {
  try {
    await inflate(packed, { maxOutputLength: Math.max(1, limitBytes) });
  } catch (error) {
    const tooLarge = error instanceof RangeError;
    throw damaged(
      name,
      tooLarge
        ? 'an entry unpacks to more than it declares (zip bomb?)'
        : 'an entry does not unpack',
    );
  }
}

function damaged(name: string, detail: string): GiveUp {
  return new GiveUp(`${name} is a damaged DOCX file: ${detail}.`);
}
