import type { Producer } from '#queues/producer.ts';
import type { PlatformServices } from '#src/platform/platform-services.ts';

/** The services that billing needs. */
export interface BillingServices extends PlatformServices {
  readonly producer: Producer;
}
