import type { Producer } from '#queues/producer.ts';
import type { PlatformServices } from '#src/platform/platform-services.ts';
import type { SearchTally } from './count-searches.ts';
import type { PauseSignal } from './follow-pauses.ts';
import type { JobHistory } from './job-history.ts';
import type { LiveHub } from './live-hub.ts';

/** Services that operations need. */
export interface OperationsServices extends PlatformServices {
  readonly producer: Producer;
  readonly jobHistory: JobHistory;
  readonly pauseSignal: PauseSignal;
  readonly searchTally: SearchTally;
  readonly liveHub: LiveHub;
}
