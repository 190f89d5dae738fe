import { z } from 'zod';

import { MillraceError, parseJson } from './millrace-error.ts';
import {
  errorLineSchema,
  packetBodySchema,
  type Placement,
  type StreamLine,
  streamLineSchema,
} from './packets.ts';
import { readEvents } from './read-events.ts';

/** A line of an answer, and its position. */
export interface PlacedLine {
  index: number;
  line: StreamLine;
}

/**
 * The lines of an answer, each validated against its schema. Unknown lines are skipped, because later services may send
 * more. The fatal error line of bare lines is returned as the `error` packet that server-sent events have instead.
 * @param firstIndex position of the first line when the events have no ids
 * @throws MillraceError UNEXPECTED_ANSWER for a line that does not match its own type
 */
export async function* readStreamLines(
  parts: AsyncIterable<Uint8Array>,
  firstIndex: number,
): AsyncGenerator<PlacedLine, void> {
  let next = firstIndex;
  let placement: Placement = { turn_index: 0, tab_index: 0, sub_turn_index: null };
  for await (const { id, data, isCut } of readEvents(parts)) {
    const value = parseJson(data);
    if (value === undefined && isCut) return;
    const index = id !== null && /^\d{1,9}$/.test(id) ? Number(id) : next;
    next = index + 1;
    const line = toLine(value, placement);
    if (line === null) continue;
    if ('obj' in line) ({ placement } = line);
    yield { index, line };
  }
}

const KNOWN_TYPES: ReadonlySet<string> = new Set(
  packetBodySchema.options.map(({ shape }) => shape.type.value),
);
const typed = z.object({ obj: z.object({ type: z.string() }) });
const ownLine = z.union([
  z.object({ chat_session_id: z.unknown() }),
  z.object({ reserved_assistant_message_id: z.unknown() }),
]);

/** Null for lines that this client does not know. */
function toLine(value: unknown, placement: Placement): StreamLine | null {
  const failure = errorLineSchema.safeParse(value);
  if (failure.success) {
    const { error, ...facts } = failure.data;
    return {
      placement: { ...placement, sub_turn_index: null },
      obj: { type: 'error', exception: error, message: error, ...facts },
    };
  }
  const parsed = streamLineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const packet = typed.safeParse(value);
  const isKnown = packet.success
    ? KNOWN_TYPES.has(packet.data.obj.type)
    : value === undefined || ownLine.safeParse(value).success;
  if (!isKnown) return null;
  const what = packet.success ? `The packet ${packet.data.obj.type}` : 'A line';
  throw new MillraceError(
    `${what} of the stream is invalid. Use a client of the same version as the service.`,
    { status: null, errorCode: 'UNEXPECTED_ANSWER', cause: parsed.error },
  );
}
