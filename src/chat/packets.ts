import { z } from 'zod';

import { searchDocSchema } from '#src/documents/search-hit.ts';

/** Where a packet belongs: packets of the same turn and tab build one block of the answer. */
const placementSchema = z.object({
  /** Grows with each reasoning block, each round of tools, and the answer. */
  turn_index: z.int().nonnegative(),
  /** Position among parallel tool calls of a turn. */
  tab_index: z.int().nonnegative(),
  /** Step inside a research agent; null at top level. */
  sub_turn_index: z.int().nonnegative().nullable(),
  model_index: z.int().nonnegative().nullable().optional(),
});

export const citationInfoSchema = z.object({
  type: z.literal('citation_info'),
  citation_number: z.int().positive(),
  document_id: z.string(),
});

/** The last packet of a stream that failed; no `stop` follows it. */
const errorPacketSchema = z.object({
  type: z.literal('error'),
  /** The sentence, twice: some clients read `exception`, others `message`. */
  exception: z.string(),
  message: z.string(),
  error_code: z.string(),
  is_retryable: z.boolean(),
  /** Always null: a trace is of no use to a caller. */
  stack_trace: z.null(),
  details: z.null(),
});
export type ErrorPacket = z.output<typeof errorPacketSchema>;

const packetBodySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('search_tool_start'), is_internet_search: z.boolean() }),
  z.object({ type: z.literal('search_tool_queries_delta'), queries: z.array(z.string()) }),
  z.object({ type: z.literal('search_tool_documents_delta'), documents: z.array(searchDocSchema) }),
  z.object({ type: z.literal('section_end') }),
  z.object({ type: z.literal('reasoning_start') }),
  z.object({ type: z.literal('reasoning_delta'), reasoning: z.string() }),
  z.object({ type: z.literal('reasoning_done') }),
  z.object({
    type: z.literal('message_start'),
    /** All that was found, cited or not; null when nothing was searched. */
    final_documents: z.array(searchDocSchema).nullable(),
  }),
  z.object({ type: z.literal('message_delta'), content: z.string() }),
  citationInfoSchema,
  z.object({ type: z.literal('stop'), stop_reason: z.string().nullable() }),
  errorPacketSchema,
]);
export type PacketBody = z.output<typeof packetBodySchema>;
export type AnswerBody = Extract<PacketBody, { type: 'message_delta' | 'citation_info' }>;

const packetSchema = z.object({ placement: placementSchema, obj: packetBodySchema });
export type Packet = z.output<typeof packetSchema>;

/** First line of a stream whose call made the session. */
const sessionLineSchema = z.object({ chat_session_id: z.uuid() });
/** The line before the packets: both rows exist by then. */
const messageIdsLineSchema = z.object({
  user_message_id: z.int().nullable(),
  reserved_assistant_message_id: z.int(),
});

/** One line of an answer's stream, before framing. */
export const streamLineSchema = z.union([packetSchema, sessionLineSchema, messageIdsLineSchema]);
export type StreamLine = z.output<typeof streamLineSchema>;

/** A packet at the top level of turn `turn`. */
export function packetAt(turn: number, obj: PacketBody): Packet {
  return { placement: { turn_index: turn, tab_index: 0, sub_turn_index: null }, obj };
}
