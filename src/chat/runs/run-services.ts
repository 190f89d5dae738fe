import type { PlatformServices } from '#src/platform/platform-services.ts';
import type { AnswerRuns } from './answer-runs.ts';

/** What the runs of answers take. */
export interface RunServices extends PlatformServices {
  /** The chat answers that this process is writing. */
  readonly answerRuns: AnswerRuns;
}
