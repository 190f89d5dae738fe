/**
 * Frames that the runner writes on its standard output: one byte for the kind, four for the length (big endian), then
 * the payload.
 */
export type FrameKind = 'snapshot' | 'started' | 'stdout' | 'stderr' | 'file' | 'done';

export interface Frame {
  kind: FrameKind;
  payload: Buffer;
}

const KINDS: readonly FrameKind[] = ['snapshot', 'started', 'stdout', 'stderr', 'file', 'done'];
const HEAD_BYTES = 5;

export function encodeFrame(kind: FrameKind, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  frame.writeUInt8(KINDS.indexOf(kind), 0);
  frame.writeUInt32BE(payload.length, 1);
  frame.set(payload, HEAD_BYTES);
  return frame;
}

/**
 * The frames of a stream.
 * @param maxBytes limit of the whole stream
 * @throws Error when the stream is longer, malformed, or ends inside a frame
 */
export async function* readFrames(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Frame> {
  let parts: Uint8Array[] = [];
  let held = 0;
  let total = 0;
  let wanted = HEAD_BYTES;
  for await (const chunk of stream) {
    total += chunk.length;
    if (total > maxBytes) throw new Error(`The runner sent more than ${maxBytes} bytes.`);
    parts.push(chunk);
    held += chunk.length;
    if (held < wanted) continue;
    let rest = Buffer.concat(parts);
    wanted = HEAD_BYTES;
    while (rest.length >= HEAD_BYTES) {
      wanted = HEAD_BYTES + rest.readUInt32BE(1);
      if (rest.length < wanted) break;
      yield { kind: kindOf(rest.readUInt8(0)), payload: rest.subarray(HEAD_BYTES, wanted) };
      rest = rest.subarray(wanted);
      wanted = HEAD_BYTES;
    }
    parts = [rest];
    held = rest.length;
  }
  if (held > 0) throw new Error('The runner broke off in the middle of a frame.');
}

function kindOf(code: number): FrameKind {
  const kind = KINDS[code];
  if (!kind) throw new Error(`The runner sent a frame of the unknown kind ${code}.`);
  return kind;
}

/** A file as the payload of a frame: two bytes for the length of its name, the name, the content. */
export function encodeFile(name: string, bytes: Uint8Array): Buffer {
  const encoded = Buffer.from(name);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(encoded.length);
  return Buffer.concat([length, encoded, bytes]);
}

/** @throws RangeError when the payload is not a file */
export function decodeFile(payload: Buffer): { name: string; bytes: Buffer } {
  const end = 2 + payload.readUInt16BE(0);
  if (end > payload.length) throw new RangeError('The runner sent a file without its name.');
  return { name: payload.toString('utf8', 2, end), bytes: payload.subarray(end) };
}
