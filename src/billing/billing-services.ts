import type { Producer } from '#queues/producer.ts';
import type { PlatformServices } from '#src/platform/platform-services.ts';

/** What billing takes. */
export interface BillingServices extends PlatformServices {
  readonly producer: Producer;
}
