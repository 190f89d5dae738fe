import { z } from 'zod';
import { acceptedSchema } from '#src/documents/present-document.ts';
import type { FileServices } from '#src/files/file-services.ts';
import { safeFileName } from '#src/files/safe-file-name.ts';
import { GiveUp, Problem } from '#src/platform/errors.ts';
import { encodeDocument } from './encode-document.ts';
import { SHORT_BODY_BYTES } from './body-room.ts';
import { acceptItem, type IngestCaller, type IngestServices, readItems } from './ingest-item.ts';
import type { IncomingFile } from './read-multipart.ts';
import type { HoldBytes } from './split-lines.ts';

const fileName = { file_name: z.string() };

/** What became of one file: accepted, or refused with the reason. */
export const ingestedFileSchema = z.union([
  acceptedSchema.extend(fileName),
  z.object({ error_code: z.string(), detail: z.string(), ...fileName }),
]);

type IngestedFile = z.input<typeof ingestedFileSchema>;

/**
 * Reads a file into memory once there is room for it, parses it apart from this process and accepts its text as a
 * document, whose id is the name of the file.
 * @throws Problem when nothing can be accepted now
 */
export async function ingestFile(
  services: IngestServices & Pick<FileServices, 'parsers'>,
  caller: IngestCaller,
  { name: sentName, content }: IncomingFile,
  hold: HoldBytes,
): Promise<IngestedFile> {
  const name = safeFileName(sentName);
  const refuse = (detail: string): IngestedFile => ({
    file_name: name,
    error_code: 'BAD_REQUEST',
    detail,
  });
  using room = new DisposableStack();
  const holdFile = async (bytes: number): Promise<void> => {
    const leave = await hold(bytes);
    room.defer(() => leave());
  };
  const bytes = await readBounded(content, services.config.MAX_DOCUMENT_BYTES, holdFile);
  if (name === '') return refuse('The file has no name. Give it one.');
  if (bytes === null) {
    return refuse(
      `${name} is larger than ${Math.floor(services.config.MAX_DOCUMENT_BYTES / 1_000_000)} MB. Split it, or connect it as a source of the kind file.`,
    );
  }
  try {
    const { title, sections, metadata } = await services.parsers.parse({
      name,
      bytes,
      owner: caller.principal.workspaceId,
      signal: caller.signal,
    });
    const document = {
      id: name,
      semantic_identifier: title,
      sections: sections.map(({ text }) => ({ text })),
      source: 'file',
      metadata,
    };
    const [item] = await readItems(services, caller, await encodeDocument(document), 'item');
    return { file_name: name, ...(await acceptItem(services, caller, item)) };
  } catch (error) {
    if (error instanceof GiveUp) return refuse(error.message);
    if (!(error instanceof Problem) || error.retryAfterSeconds !== null) throw error;
    return { file_name: name, error_code: error.code, detail: error.message };
  }
}

/** Null when there is more; the rest is read and dropped, so that the next part of the form comes. */
async function readBounded(
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
  hold: (bytes: number) => Promise<void>,
): Promise<Buffer | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let hasRoom = false;
  for await (const piece of content) {
    bytes += piece.length;
    if (bytes > SHORT_BODY_BYTES && !hasRoom) {
      await hold(maxBytes);
      hasRoom = true;
    }
    if (bytes > maxBytes) pieces.length = 0;
    else pieces.push(piece);
  }
  return bytes > maxBytes ? null : Buffer.concat(pieces);
}
