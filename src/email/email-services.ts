import type { Producer } from '#queues/producer.ts';
import type { OutreachServices } from '#src/outreach/outreach-services.ts';
import type { FinishWatch } from '#src/platform/finish-watch.ts';
import type { PointsServices } from '#src/points/points-services.ts';
import type { Mailer } from './mailer.ts';

/** The services that email needs. */
export interface EmailServices extends OutreachServices, PointsServices {
  readonly producer: Producer;
  readonly mailer: Mailer;
  /** Notifies requests that wait for a worker. */
  readonly messageWatch: FinishWatch;
}
