import type { Producer } from '#queues/producer.ts';
import type { OutreachServices } from '#src/outreach/outreach-services.ts';
import type { FinishWatch } from '#src/platform/finish-watch.ts';
import type { PointsServices } from '#src/points/points-services.ts';
import type { Mailer } from './mailer.ts';

/** What email takes. */
export interface EmailServices extends OutreachServices, PointsServices {
  readonly producer: Producer;
  readonly mailer: Mailer;
  /** Requests wait by it for what a worker does meanwhile. */
  readonly messageWatch: FinishWatch;
}
