/** The schemas of what an answer's stream holds, for clients that want to check every line of it. */
export {
  type ErrorLine,
  errorLineSchema,
  type Packet,
  type PacketBody,
  packetBodySchema,
  packetSchema,
  type Placement,
  type StreamLine,
  streamLineSchema,
} from '#src/chat/wire/packets.ts';
