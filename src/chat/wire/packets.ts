import { z } from 'zod';

import { searchDocSchema } from '#src/documents/search/search-hit.ts';

/** Position of a packet: packets of the same turn and tab form one block of the answer. */
const placementSchema = z
  .object({
    /** Increases with each reasoning block, each round of tools, and the answer. */
    turn_index: z.int().nonnegative(),
    /** Position among parallel tool calls of a turn. */
    tab_index: z.int().nonnegative(),
    /** Step inside a research agent; null at top level. */
    sub_turn_index: z.int().nonnegative().nullable(),
    model_index: z.int().nonnegative().nullable().optional(),
  })
  .meta({ id: 'Placement' });
export type Placement = z.output<typeof placementSchema>;

export const citationInfoSchema = z
  .object({
    type: z.literal('citation_info'),
    citation_number: z.int().positive(),
    document_id: z.string(),
  })
  .meta({ id: 'CitationInfo' });

export const generatedImageSchema = z
  .object({
    file_id: z.string(),
    url: z.string(),
    revised_prompt: z.string(),
    shape: z.enum(['square', 'portrait', 'landscape']).nullable(),
  })
  .meta({ id: 'GeneratedImage' });
export type GeneratedImage = z.output<typeof generatedImageSchema>;

/** The last packet of a failed stream; no `stop` follows it. */
const errorPacketSchema = z.object({
  type: z.literal('error'),
  /** The message, twice: some clients read `exception`, others `message`. */
  exception: z.string(),
  message: z.string(),
  error_code: z.string(),
  is_retryable: z.boolean(),
  /** Always null: a stack trace is of no use to a caller. */
  stack_trace: z.null(),
  /** The model that failed; null when none did. */
  details: z.record(z.string(), z.unknown()).nullable(),
});
export type ErrorPacket = z.output<typeof errorPacketSchema>;

const documents = z.array(searchDocSchema);

export const packetBodySchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('stop'), stop_reason: z.string().nullable() }),
    z.object({ type: z.literal('section_end') }),
    z.object({
      type: z.literal('top_level_branching'),
      num_parallel_branches: z.int().min(2),
    }),
    errorPacketSchema,

    z.object({
      type: z.literal('message_start'),
      /** All documents found, cited or not; null when nothing was searched. */
      final_documents: documents.nullable(),
    }),
    z.object({ type: z.literal('message_delta'), content: z.string() }),
    citationInfoSchema,

    z.object({ type: z.literal('search_tool_start'), is_internet_search: z.boolean() }),
    z.object({ type: z.literal('search_tool_queries_delta'), queries: z.array(z.string()) }),
    z.object({ type: z.literal('search_tool_documents_delta'), documents }),

    z.object({ type: z.literal('open_url_start') }),
    z.object({ type: z.literal('open_url_urls'), urls: z.array(z.string()) }),
    z.object({ type: z.literal('open_url_documents'), documents }),

    z.object({ type: z.literal('image_generation_start') }),
    z.object({ type: z.literal('image_generation_heartbeat') }),
    z.object({
      type: z.literal('image_generation_final'),
      images: z.array(generatedImageSchema),
    }),

    z.object({ type: z.literal('python_tool_start'), code: z.string() }),
    z.object({
      type: z.literal('python_tool_delta'),
      stdout: z.string(),
      stderr: z.string(),
      file_ids: z.array(z.string()),
    }),

    z.object({
      type: z.literal('custom_tool_start'),
      tool_name: z.string(),
      tool_id: z.int().nullable(),
    }),
    z.object({
      type: z.literal('custom_tool_delta'),
      tool_name: z.string(),
      tool_id: z.int().nullable(),
      response_type: z.enum(['json', 'text', 'csv', 'image']),
      /** For JSON and text; images and tables are files. */
      data: z.unknown(),
      file_ids: z.array(z.string()).nullable(),
      error: z
        .object({ is_auth_error: z.boolean(), status_code: z.int(), message: z.string() })
        .nullable(),
    }),

    z.object({ type: z.literal('reasoning_start') }),
    z.object({ type: z.literal('reasoning_delta'), reasoning: z.string() }),
    z.object({ type: z.literal('reasoning_done') }),

    z.object({ type: z.literal('deep_research_plan_start') }),
    z.object({ type: z.literal('deep_research_plan_delta'), content: z.string() }),
    z.object({ type: z.literal('research_agent_start'), research_task: z.string() }),
    z.object({ type: z.literal('intermediate_report_start') }),
    z.object({ type: z.literal('intermediate_report_delta'), content: z.string() }),
    z.object({
      type: z.literal('intermediate_report_cited_docs'),
      cited_docs: documents.nullable(),
    }),
  ])
  .meta({ id: 'PacketBody' });
export type PacketBody = z.output<typeof packetBodySchema>;
export type AnswerBody = Extract<PacketBody, { type: 'message_delta' | 'citation_info' }>;

export const packetSchema = z
  .object({ placement: placementSchema, obj: packetBodySchema })
  .meta({ id: 'Packet' });
export type Packet = z.output<typeof packetSchema>;

/** First line of a stream whose request created the session. */
const sessionLineSchema = z.object({ chat_session_id: z.uuid() });
/** The line before the packets; both rows exist by then. */
const messageIdsLineSchema = z.object({
  user_message_id: z.int().nullable(),
  reserved_assistant_message_id: z.int(),
});

/** One line of an answer's stream, before framing. */
export const streamLineSchema = z.union([packetSchema, sessionLineSchema, messageIdsLineSchema]);
export type StreamLine = z.output<typeof streamLineSchema>;

/** The last line of a failed stream under the `/api` prefix, where other streams have an `error` packet. */
export const errorLineSchema = z.object({
  error: z.string(),
  stack_trace: z.null(),
  error_code: z.string(),
  is_retryable: z.boolean(),
  details: z.record(z.string(), z.unknown()).nullable(),
});
export type ErrorLine = z.output<typeof errorLineSchema>;

/** A packet at the top level of turn `turn`. */
export function packetAt(turn: number, obj: PacketBody, tab: number = 0): Packet {
  return { placement: { turn_index: turn, tab_index: tab, sub_turn_index: null }, obj };
}
