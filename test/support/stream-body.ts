import type { PacketBody, StreamLine } from '#src/client/packets.ts';

export const SESSION_ID = '4dbcae94-52a8-4b0e-8a5e-2f6a3a1f5b7c';

export const sessionLine: StreamLine = { chat_session_id: SESSION_ID };
export const idsLine: StreamLine = { user_message_id: 1, reserved_assistant_message_id: 2 };

export function packet(obj: PacketBody, turn = 0): StreamLine {
  return { placement: { turn_index: turn, tab_index: 0, sub_turn_index: null }, obj };
}

/** Encodes the lines of a stream as server-sent events with ids. */
export function asEvents(lines: readonly unknown[], firstId = 0): string {
  return lines
    .map((line, index) => `id: ${firstId + index}\ndata: ${JSON.stringify(line)}\n\n`)
    .join('');
}
