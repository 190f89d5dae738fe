import { setTimeout as wait } from 'node:timers/promises';

import type { ModelImage } from '#src/chat/model/chat-model.ts';
import { buildPrompt } from '#src/chat/prompt/build-prompt.ts';
import type { Turn } from '#src/chat/turns/begin-turns.ts';
import { DraftAnswer } from '#src/chat/turns/draft-answer.ts';
import type { FinishedTurn } from '#src/chat/turns/finish-turns.ts';
import { generateAnswer, type GenerateInput } from './generate-answer.ts';
import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import { errorPacketOf } from '#src/chat/model/error-packet.ts';
import { packetAt, type Packet, type StreamLine } from '#src/chat/wire/packets.ts';
import { searchTools } from './open-toolbox.ts';
import type { PreparedAnswer } from './prepare-answer.ts';
import { recordUsage } from '#src/chat/model/record-usage.ts';
import { deepResearch } from '#src/chat/research/deep-research.ts';
import type { AnswerSummary } from '#src/chat/wire/answer-summary.ts';
import type { ToolCall } from '#src/chat/wire/tool-call.ts';
import type { Problem } from '#src/platform/errors.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';

/** The error of an answer that nobody reconnected to. */
export const INTERRUPTED = 'The client went away before the answer was complete.';
const STOPPED_NOTE = 'The answer was stopped by the user.';
const SAVE_DELAYS_MS = [250, 500, 1_000, 2_000];

export type AnswerServices = Pick<ChatServices, 'clock' | 'turnWriter' | 'usageLedger'>;

export interface AnswerInput {
  owner: ChatOwner;
  prepared: PreparedAnswer;
  turn: Turn;
  /** Turns an error that stopped the answer into what the caller may see. */
  describeFailure: (error: unknown) => Problem;
  /** Someone asked to stop: the text so far is the answer. */
  stopped: AbortSignal;
  /** Nobody is reading any more. */
  abandoned: AbortSignal;
  /** Aborted with either of them, and at the deadline. */
  signal: AbortSignal;
}

/**
 * Streams the answer to a turn that has begun: the lines with the ids, then the packets. A failure ends the stream with
 * an `error` packet. The answer is saved before `stop` or `error` is sent; when the consumer stops early, the partial
 * answer is saved.
 */
export async function* answerTurn(
  services: AnswerServices,
  input: AnswerInput,
): AsyncGenerator<StreamLine, AnswerSummary> {
  const { prepared, turn, stopped } = input;
  const summary: AnswerSummary = { chat_session_id: turn.sessionId, tool_calls: [] };
  const draft = new DraftAnswer();
  const finish = saveOnce(services, input, draft);
  try {
    if (turn.isNewSession) yield { chat_session_id: turn.sessionId };
    yield {
      user_message_id: turn.userMessageId,
      reserved_assistant_message_id: turn.assistantMessageId,
    };
    const packets = prepared.request.deepResearch
      ? research(services, input, draft)
      : generate(services, input, draft, summary.tool_calls);
    summary.tool_calls = yield* draft.record(packets);
    const stop: Packet = packetAt(draft.turnIndex, {
      type: 'stop',
      stop_reason: draft.isCut ? 'length' : null,
    });
    draft.add(stop);
    await finish(null);
    yield stop;
  } catch (error) {
    if (stopped.aborted) {
      const stop = packetAt(draft.turnIndex + 1, { type: 'stop', stop_reason: 'user_cancelled' });
      draft.add(stop);
      draft.note(STOPPED_NOTE);
      await finish(null);
      yield stop;
      // Nobody reads an abandoned answer.
    } else if (!input.abandoned.aborted) {
      const problem = input.describeFailure(error);
      const failed = packetAt(draft.turnIndex, errorPacketOf(problem));
      draft.add(failed);
      await finish(problem.message);
      yield failed;
    }
  } finally {
    await finish(INTERRUPTED);
    await prepared.toolbox.close();
  }
  return summary;
}

/** Saves the draft on the first call only. */
function saveOnce(
  { turnWriter, clock }: AnswerServices,
  { owner, turn, prepared }: AnswerInput,
  draft: DraftAnswer,
): (error: string | null) => Promise<void> {
  const startedAt = performance.now();
  let isSaved = false;
  return async (error) => {
    if (isSaved) return;
    isSaved = true;
    const finished: FinishedTurn = {
      ...draft.saved(),
      model: prepared.model?.name ?? null,
      durationMs: performance.now() - startedAt,
      error,
      now: clock(),
    };
    await saveWithRetries(() => turnWriter.finish(owner, turn.assistantMessageId, finished));
  };
}

/** The cost of an answer must not be lost with a connection, so it retries while the database may come back. */
async function saveWithRetries(save: () => Promise<void>): Promise<void> {
  for (const delayMs of SAVE_DELAYS_MS) {
    try {
      await save();
      return;
    } catch {
      await wait(delayMs);
    }
  }
  await save();
}

function generate(
  services: AnswerServices,
  { owner, prepared, signal }: AnswerInput,
  draft: DraftAnswer,
  toolCalls: ToolCall[],
): AsyncGenerator<Packet, ToolCall[]> {
  const { question, request, toolbox, temperature, place } = prepared;
  const { workspaceId } = owner;
  const input: GenerateInput = {
    question,
    questionsBefore: place.history.flatMap(({ role, content }) => (role === 'user' ? content : [])),
    model: recordUsage(prepared.model, services.usageLedger, workspaceId),
    temperature,
    tools: toolbox.tools,
    readPassages: toolbox.readPassages,
    forcedToolId: toolbox.forcedToolId,
    prompt: (documents, budgetTokens) =>
      promptOf(services, prepared, { documents, budgetTokens, toolNames: toolNames(prepared) }),
    citations: request.citations,
    onCut: () => (draft.isCut = true),
    signal,
  };
  return generateAnswer(input, toolCalls);
}

async function* research(
  services: AnswerServices,
  { owner, prepared, signal }: AnswerInput,
  draft: DraftAnswer,
): AsyncGenerator<Packet, ToolCall[]> {
  const { question, request, toolbox, temperature, place } = prepared;
  const model = recordUsage(prepared.model, services.usageLedger, owner.workspaceId);
  if (model === null) throw new Error('Deep research was let through without a model.');
  const budgetTokens = Math.floor(model.contextTokens / 2);
  const outcome = yield* deepResearch({
    model,
    tools: searchTools(toolbox.tools),
    messages: promptOf(services, prepared, { documents: null, budgetTokens, toolNames: [] }),
    question,
    isClarified: place.history.at(-1)?.isClarification ?? false,
    citations: request.citations,
    temperature,
    now: services.clock,
    onCut: () => (draft.isCut = true),
    signal,
  });
  draft.isClarification = outcome.isClarification;
  return outcome.toolCalls;
}

function toolNames({ model, toolbox }: PreparedAnswer): string[] {
  return model?.callsTools === true ? toolbox.tools.map(({ name }) => name) : [];
}

function promptOf(
  { clock }: AnswerServices,
  prepared: PreparedAnswer,
  asked: { documents: string | null; budgetTokens: number; toolNames: readonly string[] },
): ReturnType<typeof buildPrompt> {
  const { agent, project, place, question, request, attachments, model, newAttachments } = prepared;
  const looksAtImages = model?.readsImages === true;
  const images = attachments.slice(0, newAttachments).flatMap(({ image }) => image ?? []);
  const files = attachments.flatMap(({ name, text, image }) => {
    if (text !== null) return [{ name, text }];
    return image !== null && !looksAtImages
      ? [{ name, text: 'An image. This model cannot look at images.' }]
      : [];
  });
  const projectFiles =
    project === null || project.isSearched
      ? []
      : project.files.flatMap(({ name, text }) => (text === null ? [] : [{ name, text }]));
  const shown: readonly ModelImage[] = looksAtImages ? images : [];
  return buildPrompt({
    ...asked,
    instructions: agent.instructions,
    projectInstructions: project?.instructions ?? null,
    history: place.history,
    question,
    images: shown,
    attachments: [...files, ...projectFiles],
    additionalContext: request.additionalContext,
    includeCitations: request.citations.isShown,
    now: clock(),
  });
}
