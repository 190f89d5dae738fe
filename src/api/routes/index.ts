import type { Route } from '#src/api/route.ts';
import { ownAccountRoutes } from './account.ts';
import { accountRoutes } from './accounts.ts';
import { billingRoutes } from './billing.ts';
import { chatRoutes } from './chat.ts';
import { connectorFileRoutes } from './connector-files.ts';
import { connectorLinkRoutes } from './connector-links.ts';
import { connectorPairRoutes } from './connector-pairs.ts';
import { connectorStatusRoutes } from './connector-status.ts';
import { connectorRoutes } from './connectors.ts';
import { credentialRoutes } from './credentials.ts';
import { documentSetRoutes } from './document-sets.ts';
import { emailAccountRoutes } from './email-accounts.ts';
import { emailMessageRoutes } from './email-messages.ts';
import { gamificationRoutes } from './gamification.ts';
import { healthRoutes } from './health.ts';
import { ingestionRoutes } from './ingestion.ts';
import { leadScraperRoutes } from './lead-scraper.ts';
import { memberRoutes } from './members.ts';
import { pairAttemptRoutes } from './pair-attempts.ts';
import { privacyRoutes } from './privacy.ts';
import { searchRoutes } from './search.ts';
import { subscriptionRoutes } from './subscription.ts';
import { webhookDeliveryRoutes } from './webhook-deliveries.ts';
import { webhookEndpointRoutes } from './webhook-endpoints.ts';
import { webhookEventRoutes } from './webhook-events.ts';
import { workspaceRoutes } from './workspaces.ts';

/**
 * Every endpoint there is. A new one: an entry in its resource's file; a new resource: its line here. Of two paths
 * that both fit a request the earlier one answers, so fixed words come before parameters.
 */
export const ROUTES: readonly Route[] = [
  ...healthRoutes,
  ...accountRoutes,
  ...ownAccountRoutes,
  ...memberRoutes,
  ...subscriptionRoutes,
  ...workspaceRoutes,
  ...connectorStatusRoutes,
  ...connectorFileRoutes,
  ...connectorRoutes,
  ...credentialRoutes,
  ...connectorLinkRoutes,
  ...connectorPairRoutes,
  ...pairAttemptRoutes,
  ...documentSetRoutes,
  ...ingestionRoutes,
  ...searchRoutes,
  ...chatRoutes,
  ...billingRoutes,
  ...leadScraperRoutes,
  ...webhookEndpointRoutes,
  ...webhookEventRoutes,
  ...webhookDeliveryRoutes,
  ...gamificationRoutes,
  ...emailAccountRoutes,
  ...emailMessageRoutes,
  ...privacyRoutes,
];
