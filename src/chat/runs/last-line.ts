import { errorPacketOf } from '#src/chat/model/error-packet.ts';
import { packetAt, type StreamLine } from '#src/chat/wire/packets.ts';
import type { Problem } from '#src/platform/errors.ts';

/** Whether this line ends the stream of an answer. */
export function isLastLine(line: StreamLine | undefined): boolean {
  return line !== undefined && 'obj' in line && ['stop', 'error'].includes(line.obj.type);
}

/** The line that ends the stream of an answer that broke off after `before`. */
export function brokenOff(before: StreamLine | undefined, reason: Problem): StreamLine {
  const turn = before !== undefined && 'placement' in before ? before.placement.turn_index : 0;
  return packetAt(turn, errorPacketOf(reason));
}
