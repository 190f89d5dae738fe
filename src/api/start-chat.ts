import type { Principal } from '#src/accounts/principal.ts';
import type { ChatRequest } from '#src/chat/request/chat-request.ts';
import type { StreamLine } from '#src/chat/wire/packets.ts';
import type { AnswerRun } from '#src/chat/runs/answer-run.ts';
import { startAnswer } from '#src/chat/answer/start-answer.ts';
import { withSpellings } from '#src/connectors/kinds/source-spellings.ts';
import { describeError, toProblem } from './problem.ts';
import type { RouteRequest } from './route.ts';

type ChatCall = Pick<
  RouteRequest<unknown, unknown, unknown, Principal>,
  'services' | 'principal' | 'signal' | 'requestId' | 'headers' | 'framing'
>;

/**
 * Starts an answer for a request.
 * @returns the run to follow, and `award`, to be called when the answer is complete
 */
export async function startChat(
  { services, principal, signal, requestId, headers, framing }: ChatCall,
  request: ChatRequest,
): Promise<{ run: AnswerRun; award: () => void }> {
  const { workspaceId, userId } = principal;
  const run = await startAnswer(services, {
    caller: { workspaceId, userId, authorization: headers.authorization ?? null },
    request: { ...request, filters: withSpellings(request.filters, framing) },
    describeFailure: (error) => {
      const problem = toProblem(error);
      // The stream has started, so the application's own log line will show a success.
      if (problem.code === 'INTERNAL_SERVER_ERROR')
        services.log.error({ requestId, failure: describeError(error) }, 'answer failed');
      return problem;
    },
    signal,
  });
  let isAwarded = false;
  const award = (): void => {
    if (isAwarded) return;
    isAwarded = true;
    services.pointsAwarder.submit({ workspaceId, userId, action: 'message', sourceId: requestId });
  };
  // It also counts when it ends after the caller has lost the connection.
  void run.over.then(() => isStop(run.lines.at(-1)) && award());
  return { run, award };
}

function isStop(line: StreamLine | undefined): boolean {
  return line !== undefined && 'obj' in line && line.obj.type === 'stop';
}

/**
 * Passes the lines on. `stop` is the last line of a complete answer, which has been saved by then; a failed one ends
 * differently.
 */
export async function* watchForStop<Summary>(
  lines: AsyncGenerator<StreamLine, Summary>,
  onStop: () => void,
): AsyncGenerator<StreamLine, Summary> {
  let isDone = false;
  try {
    for (;;) {
      const step = await lines.next();
      if (step.done === true) {
        isDone = true;
        return step.value;
      }
      const { value } = step;
      if (isStop(value)) onStop();
      yield value;
    }
  } finally {
    if (!isDone) await lines.return(undefined as never); // nobody reads its return value
  }
}
