import type { Producer } from '#queues/producer.ts';
import type { HttpClient } from '#src/platform/http.ts';
import type { PlatformServices } from '#src/platform/platform-services.ts';
import type { DeliveryLedger } from './delivery-ledger.ts';

/** Services that the webhooks use. */
export interface WebhookServices extends PlatformServices {
  readonly producer: Producer;
  /** Outbound HTTP to webhook endpoints: its own connections, plain HTTP only to opened ranges. */
  readonly webhookHttp: HttpClient;
  readonly deliveryLedger: DeliveryLedger;
}
