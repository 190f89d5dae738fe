import type { IncomingHttpHeaders } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { Problem } from '#src/platform/errors.ts';
import type { IncomingBody } from './read-body.ts';

const MAX_FILES = 1_000;
const MAX_FIELDS = 50;
const MAX_FIELD_BYTES = 1024 * 1024;
const MAX_FIELD_NAME_BYTES = 100;
const MAX_HEADERS_PER_PART = 50;
const MAX_HEADER_BYTES = 16 * 1024;

/** A file part as it arrives. `content` can be read once, and must be read before the next part. */
export interface IncomingFile {
  /** The name of the form field. */
  field: string;
  /** As the client sent it, including folders. */
  name: string;
  mediaType: string;
  content: AsyncIterable<Uint8Array>;
}

/**
 * Reads a `multipart/form-data` body (RFC 7578). Files are passed to `takeFile` one by one as they arrive; `takeFile`
 * limits their size. On any failure, the stream of the current file fails with the same error, and this function throws
 * after `takeFile` has ended.
 * @returns the other fields; the last one with a name wins
 * @throws Problem BAD_REQUEST naming what is malformed; PAYLOAD_TOO_LARGE for too many or too large parts
 */
export async function readMultipart(
  { incoming, headers }: { incoming: IncomingBody; headers: IncomingHttpHeaders },
  takeFile: (file: IncomingFile) => Promise<void>,
): Promise<Map<string, string>> {
  const parser = openParser(headers);
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined); // awaited below, perhaps after it has settled
  const stop = new AbortController();
  const fields = new Map<string, string>();
  const open = new Set<BusboyFileStream>();
  let taken: Promise<void> = Promise.resolve();

  watchFields(parser, fields, failure.reject);
  parser.on('file', (field, stream, fileName: string | undefined, _encoding, mediaType) => {
    // The parser reports the same failure, which is handled below; without a listener it would end the process.
    stream.on('error', () => undefined);
    if (stop.signal.aborted) return stream.destroy();
    open.add(stream);
    stream.once('close', () => open.delete(stream));
    taken = taken.then(async () => {
      if (!fileName) throw malformed(`the file in the field ${field} has no filename`);
      await takeFile({ field, name: fileName, mediaType, content: stream });
    });
    taken.catch(failure.reject);
  });
  try {
    await Promise.race([feed(parser, incoming, stop.signal), failure.promise]);
    await Promise.race([taken, failure.promise]);
  } catch (error) {
    stop.abort();
    for (const stream of open) stream.destroy(asError(error));
    await taken.catch(() => undefined); // it fails with the error that is thrown here
    throw error;
  }
  return fields;
}

function openParser(headers: IncomingHttpHeaders): BusboyInstance {
  const contentType = headers['content-type'] ?? '';
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': contentType },
      preservePath: true,
      limits: {
        files: MAX_FILES,
        fields: MAX_FIELDS,
        parts: MAX_FILES + MAX_FIELDS,
        fieldSize: MAX_FIELD_BYTES,
        fieldNameSize: MAX_FIELD_NAME_BYTES,
        headerPairs: MAX_HEADERS_PER_PART,
        headerSize: MAX_HEADER_BYTES,
      },
    });
  } catch (error) {
    throw malformed(asError(error).message, error);
  }
}

function watchFields(
  parser: BusboyInstance,
  fields: Map<string, string>,
  fail: (error: unknown) => void,
): void {
  parser.on('error', (error) => fail(malformed(asError(error).message, error)));
  const limits = {
    filesLimit: MAX_FILES,
    fieldsLimit: MAX_FIELDS,
    partsLimit: MAX_FILES + MAX_FIELDS,
  };
  for (const [event, count] of Object.entries(limits)) {
    parser.on(event, () =>
      fail(tooMuch(`it has more than ${count} ${event.replace('Limit', '')}`)),
    );
  }
  parser.on('field', (name: string | undefined, value, isNameCut, isValueCut) => {
    if (!name) return fail(malformed('a part has no name in its Content-Disposition'));
    if (isNameCut || name.length > MAX_FIELD_NAME_BYTES) {
      return fail(tooMuch(`a field has a name of more than ${MAX_FIELD_NAME_BYTES} bytes`));
    }
    if (isValueCut) {
      return fail(tooMuch(`the field ${name} is larger than ${MAX_FIELD_BYTES} bytes`));
    }
    fields.set(name, value);
  });
}

/** Feeds the parser as fast as it accepts data; resolves when it has seen the end. */
async function feed(
  parser: BusboyInstance,
  incoming: IncomingBody,
  stop: AbortSignal,
): Promise<void> {
  for await (const chunk of incoming.chunks()) {
    if (stop.aborted) return;
    // The parser pauses while a file's reader is busy.
    await new Promise<void>((resolve, reject) => {
      parser.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  }
  await new Promise<void>((resolve) => {
    parser.once('finish', resolve);
    parser.end();
  });
}

function malformed(detail: string, cause?: unknown): Problem {
  return new Problem(
    'BAD_REQUEST',
    `The body is not valid multipart/form-data: ${detail}. Let your HTTP client build it, boundary included.`,
    { cause },
  );
}

function tooMuch(detail: string): Problem {
  return new Problem(
    'PAYLOAD_TOO_LARGE',
    `The form is too large: ${detail}. Send less in one request.`,
  );
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
