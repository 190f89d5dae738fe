import type { Problem } from '#src/platform/errors.ts';
import { ModelFailed } from './model-failed.ts';
import type { ErrorPacket } from '#src/chat/wire/packets.ts';

/** A failure as the last packet of a stream. */
export function errorPacketOf(problem: Problem): ErrorPacket {
  const facts = {
    type: 'error' as const,
    exception: problem.message,
    message: problem.message,
    stack_trace: null,
  };
  if (problem instanceof ModelFailed) {
    const { errorCode, isRetryable, details } = problem;
    return { ...facts, error_code: errorCode, is_retryable: isRetryable, details };
  }
  const isOurFault =
    problem.code === 'INTERNAL_SERVER_ERROR' || problem.code === 'SERVICE_UNAVAILABLE';
  return {
    ...facts,
    error_code: problem.code,
    is_retryable: isOurFault || problem.retryAfterSeconds !== null,
    details: null,
  };
}
