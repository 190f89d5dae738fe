import type { Producer } from '#queues/producer.ts';
import type { DocumentServices } from '#src/documents/document-services.ts';
import type { FinishWatch } from '#src/platform/finish-watch.ts';
import type { PlatformServices } from '#src/platform/platform-services.ts';
import type { PointsServices } from '#src/points/points-services.ts';
import type { ExtractorPool } from '#src/leads/extract/extracted-page.ts';

/** The services that leads need. */
export interface LeadServices
  extends PlatformServices, PointsServices, Pick<DocumentServices, 'embedder'> {
  readonly producer: Producer;
  /** Starts its threads with the first page. */
  readonly leadExtractor: ExtractorPool;
  /** Lets requests wait for the progress of a worker. */
  readonly scrapeWatch: FinishWatch;
}
