import type { PeopleServices } from './accounts/people/people-services.ts';
import type { BillingServices } from './billing/billing-services.ts';
import type { ChatServices } from './chat/chat-services.ts';
import type { ConnectorServices } from './connectors/connector-services.ts';
import type { DocumentServices } from './documents/document-services.ts';
import type { BounceServices } from './email/bounces/bounce-services.ts';
import type { FileServices } from './files/file-services.ts';
import type { LeadServices } from './leads/lead-services.ts';
import type { OperationsServices } from './operations/operations-services.ts';
import type { WebhookServices } from './webhooks/webhook-services.ts';

/**
 * Everything that a process opens once and closes in reverse order: the union of what each feature declares. Only the
 * API, the workers and the start code import this; a feature imports its own part.
 */
export interface Services
  extends
    AsyncDisposable,
    BillingServices,
    BounceServices,
    ChatServices,
    ConnectorServices,
    DocumentServices,
    FileServices,
    LeadServices,
    OperationsServices,
    PeopleServices,
    WebhookServices {}
