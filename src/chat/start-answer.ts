import { startDeadline } from '#src/platform/deadline.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import { type AnswerInput, answerTurn } from './answer.ts';
import type { ChatRequest } from './request/chat-request.ts';
import { type AnswerCaller, prepareAnswer } from './prepare-answer.ts';
import { type AnswerLines, AnswerRun } from './runs/answer-run.ts';

const DEADLINE_MS = 15 * 60_000;
const RESEARCH_DEADLINE_MS = 60 * 60_000;

export interface AnswerStart {
  caller: AnswerCaller;
  request: ChatRequest;
  describeFailure: AnswerInput['describeFailure'];
  /** The caller is gone. */
  signal: AbortSignal;
}

/**
 * Begins an answer: everything that the request names is there, and its rows are written. Follow the run to have it
 * written; it ends when nobody follows it any more.
 * @throws Problem for what `prepareAnswer` refuses
 */
export async function startAnswer(services: Services, start: AnswerStart): Promise<AnswerRun> {
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
  const run = new AnswerRun(lines, { chat_session_id: turn.sessionId, tool_calls: [] }, () =>
    abandoned.abort(),
  );
  services.answerRuns.add(turn.assistantMessageId, run, {
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

function tooLong(limitMs: number): Problem {
  return new Problem(
    'SERVICE_UNAVAILABLE',
    `The answer took longer than ${limitMs / 60_000} minutes. Ask for less at once.`,
  );
}
