import { z } from 'zod';
import { DEFAULT_AGENT } from '#src/chat/agents/find-agent.ts';
import { type Packet, packetAt, packetSchema } from '#src/chat/wire/packets.ts';
import type { MainlineMessage } from '#src/chat/turns/mainline.ts';
import { type SearchDoc, searchDocSchema } from '#src/documents/search/search-hit.ts';
import type { UserId } from '#src/ids.ts';
import { CHAT_FILE_TYPES } from '#src/tables/chat.ts';
import { sharedStatus } from './present-session.ts';
import type { SessionDetails } from './read-session.ts';

const savedSearchDocSchema = searchDocSchema
  .extend({
    db_doc_id: z.int().describe('Its place among the documents of its message, from 1.'),
    score: z.number(),
  })
  .meta({ id: 'SavedSearchDoc' });

const messageSchema = z
  .object({
    chat_session_id: z.string(),
    message_id: z.int(),
    parent_message: z.int().nullable().describe('null for the root.'),
    latest_child_message: z.int().nullable(),
    message: z.string(),
    reasoning_tokens: z.string().nullable(),
    message_type: z
      .enum(['system', 'user', 'assistant'])
      .describe('The root is an empty system message.'),
    context_docs: z.array(savedSearchDocSchema).nullable(),
    citations: z
      .record(z.string(), z.string())
      .nullable()
      .describe('Citation number to document id.'),
    time_sent: z.string(),
    files: z.array(
      z.object({
        id: z.string(),
        type: z.enum(CHAT_FILE_TYPES),
        name: z.string().nullable(),
        user_file_id: z.string().nullable(),
      }),
    ),
    error: z.string().nullable().describe('Why the answer failed or is not whole.'),
    current_feedback: z.enum(['like', 'dislike']).nullable(),
    processing_duration_seconds: z.number().nullable(),
    model_display_name: z.string().nullable(),
  })
  .meta({ id: 'ChatMessageDetail' });

export const sessionDetailsSchema = z
  .object({
    chat_session_id: z.string(),
    description: z.string().nullable(),
    persona_id: z.int().nullable().describe('0 is the default agent.'),
    persona_name: z.string().nullable(),
    personal_icon_name: z.string().nullable(),
    messages: z.array(messageSchema).describe('The branch that is shown, from the root.'),
    time_created: z.string(),
    shared_status: sharedStatus,
    current_alternate_model: z.string().nullable(),
    current_temperature_override: z.number().nullable(),
    deleted: z.boolean(),
    packets: z
      .array(z.array(packetSchema))
      .describe('Of each assistant message in turn, as its stream was.'),
    owner_name: z.string().nullable(),
    current_run: z
      .object({ run_id: z.int().describe('The message that is being written.') })
      .nullable(),
  })
  .meta({ id: 'ChatSessionDetailResponse' });

/** Feedback and the answer in progress are only shown to the owner. */
export function presentSessionDetails(
  session: SessionDetails,
  readerId: UserId,
): z.input<typeof sessionDetailsSchema> {
  const isOwn = session.user_id === readerId;
  return {
    chat_session_id: session.id,
    description: session.title,
    persona_id: session.agent_id ?? DEFAULT_AGENT.id,
    persona_name: session.agent_name ?? DEFAULT_AGENT.name,
    personal_icon_name: null,
    messages: session.messages.map((message) => ({
      chat_session_id: session.id,
      ...presentMessage(message),
      current_feedback: isOwn ? feedbackOf(message) : null,
    })),
    time_created: session.created_at.toISOString(),
    shared_status: session.shared_status,
    current_alternate_model: session.alternate_model,
    current_temperature_override: session.temperature_override,
    deleted: session.deleted_at !== null,
    packets: session.messages.filter(({ role }) => role === 'assistant').map(packetsOf),
    owner_name: session.owner_name,
    current_run: isOwn && session.run_id !== null ? { run_id: session.run_id } : null,
  };
}

function presentMessage(
  message: MainlineMessage,
): Omit<z.input<typeof messageSchema>, 'chat_session_id' | 'current_feedback'> {
  const isAnswer = message.role === 'assistant';
  return {
    message_id: message.id,
    parent_message: message.parent_id,
    latest_child_message: message.latest_child_id,
    message: message.content,
    reasoning_tokens: message.reasoning,
    message_type: message.role,
    context_docs: message.documents?.map(presentDocument) ?? null,
    citations: isAnswer ? message.citations : null,
    time_sent: message.created_at.toISOString(),
    files: message.files,
    error: message.error,
    processing_duration_seconds: message.duration_ms === null ? null : message.duration_ms / 1000,
    model_display_name: message.model,
  };
}

function presentDocument(document: unknown, index: number): z.input<typeof savedSearchDocSchema> {
  const stored = document as SearchDoc; // its column contains nothing else
  return { ...stored, score: stored.score ?? 0, db_doc_id: index + 1 };
}

function feedbackOf({ is_positive: isPositive }: MainlineMessage): 'like' | 'dislike' | null {
  if (isPositive === null) return null;
  return isPositive ? 'like' : 'dislike';
}

/** Answers from before packets were stored are presented with equivalent packets; an unfinished one has none yet. */
function packetsOf({ packets, content }: MainlineMessage): Packet[] {
  if (packets !== null) return packets as Packet[]; // stored exactly as they were sent
  if (content === '') return [];
  return [
    packetAt(0, { type: 'message_start', final_documents: null }),
    packetAt(0, { type: 'message_delta', content }),
    packetAt(0, { type: 'stop', stop_reason: null }),
  ];
}
