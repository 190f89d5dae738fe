/** The schemas of an answer's stream, for clients that want to validate every line. */
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
