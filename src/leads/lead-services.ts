import type { Producer } from '#queues/producer.ts';
import type { DocumentServices } from '#src/documents/document-services.ts';
import type { FinishWatch } from '#src/platform/finish-watch.ts';
import type { PlatformServices } from '#src/platform/platform-services.ts';
import type { PointsServices } from '#src/points/points-services.ts';
import type { ExtractorPool } from '#src/leads/extract/extracted-page.ts';

/** What leads take. */
export interface LeadServices
  extends PlatformServices, PointsServices, Pick<DocumentServices, 'embedder'> {
  readonly producer: Producer;
  /** Starts its threads when the first page comes. */
  readonly leadExtractor: ExtractorPool;
  /** Requests wait by it for what a worker does meanwhile. */
  readonly scrapeWatch: FinishWatch;
}
