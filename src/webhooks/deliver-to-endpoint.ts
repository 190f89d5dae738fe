import type { WebhookEndpointId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';

export async function deliverToEndpoint(
  _services: Services,
  endpointId: WebhookEndpointId,
  _signal: AbortSignal,
): Promise<{ endpointId: WebhookEndpointId }> {
  return Promise.resolve({ endpointId });
}
