import type { PlatformServices } from '#src/platform/platform-services.ts';
import type { AnswerRuns } from './answer-runs.ts';

/** The services that runs of answers need. */
export interface RunServices extends PlatformServices {
  /** The chat answers that this process is writing. */
  readonly answerRuns: AnswerRuns;
}
