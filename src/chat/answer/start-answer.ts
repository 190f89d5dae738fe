import { startDeadline } from '#src/platform/deadline.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import { type AnswerInput, answerTurn, INTERRUPTED } from './answer-turn.ts';
import type { ChatRequest } from '#src/chat/request/chat-request.ts';
import { type AnswerCaller, prepareAnswer } from './prepare-answer.ts';
import { type AnswerLines, AnswerRun } from '#src/chat/runs/answer-run.ts';
import { untilAbandoned } from '#src/chat/runs/until-abandoned.ts';

const DEADLINE_MS = 15 * 60_000;
const RESEARCH_DEADLINE_MS = 60 * 60_000;

export interface AnswerStart {
  caller: AnswerCaller;
  request: ChatRequest;
  describeFailure: AnswerInput['describeFailure'];
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
}

/**
 * Starts an answer: validates everything that the request names and writes its rows. Follow the run to generate the
 * answer; it ends when nobody has followed it for `CHAT_RESUME_SECONDS`.
 * @throws Problem as `prepareAnswer`
 */
export async function startAnswer(services: ChatServices, start: AnswerStart): Promise<AnswerRun> {
  const { caller, request, describeFailure } = start;
  const prepared = await prepareAnswer(services, caller, request, start.signal);
  const turn = await services.turnWriter.begin(caller, {
    place: prepared.place,
    settings: prepared.settings,
    message: prepared.question,
    files: prepared.attachments
      .slice(0, prepared.newAttachments)
      .map(({ descriptor }) => descriptor),
    now: services.clock(),
  });
  const stopped = new AbortController();
  const abandoned = new AbortController();
  const failed = new AbortController();
  const ended = AbortSignal.any([stopped.signal, abandoned.signal, failed.signal]);
  const lines = within(ended, request.deepResearch ? RESEARCH_DEADLINE_MS : DEADLINE_MS, (signal) =>
    answerTurn(services, {
      owner: caller,
      prepared,
      turn,
      describeFailure,
      stopped: stopped.signal,
      abandoned: abandoned.signal,
      signal,
    }),
  );
  const { assistantMessageId: messageId } = turn;
  const graceMs = services.config.CHAT_RESUME_SECONDS * 1_000;
  const run = new AnswerRun(lines, {
    abandoned: { chat_session_id: turn.sessionId, tool_calls: [] },
    abandon: () => abandoned.abort(),
    untilAbandoned:
      graceMs > 0 ? (signal) => untilAbandoned(services, { messageId, graceMs, signal }) : null,
    describeFailure: (error) => (error === null ? interrupted() : describeFailure(error)),
  });
  services.answerRuns.add(messageId, run, {
    stop: () => stopped.abort(),
    fail: (reason) => failed.abort(reason),
  });
  return run;
}

async function* within(
  signal: AbortSignal,
  limitMs: number,
  answer: (signal: AbortSignal) => AnswerLines,
): AnswerLines {
  using deadline = startDeadline(signal, limitMs, () => tooLong(limitMs));
  return yield* answer(deadline.signal);
}

function interrupted(): Problem {
  return new Problem('SERVICE_UNAVAILABLE', `${INTERRUPTED} Ask again.`);
}

function tooLong(limitMs: number): Problem {
  return new Problem(
    'SERVICE_UNAVAILABLE',
    `The answer took longer than ${limitMs / 60_000} minutes. Ask for less at once.`,
  );
}
