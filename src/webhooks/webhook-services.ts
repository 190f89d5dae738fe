import type { Producer } from '#queues/producer.ts';
import type { HttpClient } from '#src/platform/http.ts';
import type { PlatformServices } from '#src/platform/platform-services.ts';
import type { DeliveryLedger } from './delivery-ledger.ts';

/** What webhooks take. */
export interface WebhookServices extends PlatformServices {
  readonly producer: Producer;
  /** Outbound HTTP to webhook endpoints: connections of its own, plain HTTP to opened ranges only. */
  readonly webhookHttp: HttpClient;
  readonly deliveryLedger: DeliveryLedger;
}
