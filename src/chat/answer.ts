import type { ChatSessionId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { Problem } from '#src/platform/errors.ts';
import type { ChatModel } from './chat-model.ts';
import { generateAnswer } from './generate-answer.ts';
import { checkOverride, type LlmOverride } from './llm-override.ts';
import { packetAt, type ErrorPacket, type Packet, type StreamLine } from './packets.ts';
import {
  beginTurn,
  finishTurn,
  type FinishedTurn,
  type MessageParent,
  type SessionOwner,
} from './sessions.ts';
import type { ToolCall } from './tool-call.ts';
import type { InternalSearch } from './tools/internal-search.ts';

const INTERRUPTED = 'The client went away before the answer was complete.';

export interface AnswerServices {
  db: Database;
  chatModel: ChatModel | null;
  clock: () => Date;
}

export interface AnswerInput {
  owner: SessionOwner;
  message: string;
  /** Null makes a session. */
  sessionId: ChatSessionId | null;
  parent: MessageParent;
  llmOverride: LlmOverride | null;
  /** Null when the request allows no search. */
  search: InternalSearch | null;
  /** For this call's prompt alone; never stored. */
  additionalContext: string | null;
  includeCitations: boolean;
  /** What the caller may be told of an error that stopped the answer. */
  describeFailure: (error: unknown) => Problem;
  signal: AbortSignal;
}

/** What a stream of packets does not say about its answer. */
export interface AnswerSummary {
  chat_session_id: ChatSessionId;
  tool_calls: ToolCall[];
}

/**
 * Answers one message: the lines with the ids, then the packets. What fails before the first line is thrown; later
 * failures end the stream with an `error` packet. The answer is saved before `stop` or `error` goes out, and what
 * there is of it when the consumer stops early.
 * @throws Problem for a wrong `llm_override`, session or parent message
 */
export async function* answerQuestion(
  services: AnswerServices,
  input: AnswerInput,
): AsyncGenerator<StreamLine, AnswerSummary> {
  const { owner, signal } = input;
  checkOverride(input.llmOverride, services.chatModel);
  const turn = await beginTurn(services.db, owner, { ...input, now: services.clock() });
  const summary: AnswerSummary = { chat_session_id: turn.sessionId, tool_calls: [] };
  const draft: Draft = { content: '', citations: {}, turnIndex: 0 };
  let isFinished = false;
  const finish = async (error: string | null): Promise<void> => {
    if (isFinished) return;
    isFinished = true;
    const { content, citations } = draft;
    await finishTurn(services.db, owner, turn, { content, citations, error });
  };
  try {
    if (turn.isNewSession) yield { chat_session_id: turn.sessionId };
    yield {
      user_message_id: turn.userMessageId,
      reserved_assistant_message_id: turn.assistantMessageId,
    };
    const packets = generateAnswer({
      ...input,
      question: input.message,
      history: turn.history,
      model: services.chatModel,
      temperature: input.llmOverride?.temperature ?? null,
    });
    summary.tool_calls = yield* recorded(packets, draft, () => finish(null));
  } catch (error) {
    // Nobody is there to read of an aborted answer.
    if (!signal.aborted) {
      const problem = input.describeFailure(error);
      await finish(problem.message);
      yield packetAt(draft.turnIndex, errorPacket(problem));
    }
  } finally {
    await finish(INTERRUPTED);
  }
  return summary;
}

interface Draft extends Pick<FinishedTurn, 'content' | 'citations'> {
  turnIndex: number;
}

/** Passes the packets on, noting in `draft` what they say; `beforeStop` runs when the answer is complete. */
async function* recorded(
  packets: AsyncGenerator<Packet, ToolCall[]>,
  draft: Draft,
  beforeStop: () => Promise<void>,
): AsyncGenerator<Packet, ToolCall[]> {
  try {
    let step = await packets.next();
    while (step.done !== true) {
      const { placement, obj } = step.value;
      draft.turnIndex = placement.turn_index;
      if (obj.type === 'message_delta') draft.content += obj.content;
      if (obj.type === 'citation_info') draft.citations[obj.citation_number] = obj.document_id;
      if (obj.type === 'stop') await beforeStop();
      yield step.value;
      step = await packets.next();
    }
    return step.value;
  } finally {
    await packets.return([]);
  }
}

function errorPacket(problem: Problem): ErrorPacket {
  const isOurFault =
    problem.code === 'INTERNAL_SERVER_ERROR' || problem.code === 'SERVICE_UNAVAILABLE';
  return {
    type: 'error',
    exception: problem.message,
    message: problem.message,
    error_code: problem.code,
    is_retryable: isOurFault || problem.retryAfterSeconds !== null,
    stack_trace: null,
    details: null,
  };
}
