import type { Route } from '#src/api/route.ts';
import { ownAccountRoutes } from './account.ts';
import { accountRoutes } from './accounts.ts';
import { adminSearchRoutes } from './admin-search.ts';
import { agentRoutes } from './agents.ts';
import { bounceMailboxRoutes } from './bounce-mailboxes.ts';
import { billingRoutes } from './billing.ts';
import { chatMessageRoutes } from './chat-messages.ts';
import { chatSessionRoutes } from './chat-sessions.ts';
import { chatRoutes } from './chat.ts';
import { sendMessageRoutes } from './send-message.ts';
import { connectorFileRoutes } from './connector-files.ts';
import { connectorLinkRoutes } from './connector-links.ts';
import { connectorPairRoutes } from './connector-pairs.ts';
import { connectorStatusRoutes } from './connector-status.ts';
import { connectorRoutes } from './connectors.ts';
import { credentialRoutes } from './credentials.ts';
import { customToolRoutes } from './custom-tools.ts';
import { documentCurationRoutes } from './document-curation.ts';
import { documentChunkRoutes } from './document-chunks.ts';
import { documentFileRoutes } from './document-files.ts';
import { documentListRoutes } from './document-lists.ts';
import { documentSetRoutes } from './document-sets.ts';
import { emailAccountRoutes } from './email-accounts.ts';
import { emailMessageRoutes } from './email-messages.ts';
import { encryptionKeyRoutes } from './encryption-keys.ts';
import { gamificationRoutes } from './gamification.ts';
import { imageGenerationRoutes } from './image-generation.ts';
import { healthRoutes } from './health.ts';
import { ingestionRoutes } from './ingestion.ts';
import { leadScraperRoutes } from './lead-scraper.ts';
import { invitationRoutes } from './invitations.ts';
import { joinRoutes } from './join.ts';
import { findRoutes } from './find.ts';
import { liveRoutes } from './live.ts';
import { mcpServerRoutes } from './mcp-servers.ts';
import { memberRoutes } from './members.ts';
import { operationsFailureRoutes } from './operations-failures.ts';
import { operationsJobRoutes } from './operations-jobs.ts';
import { operationsQueueRoutes } from './operations-queues.ts';
import { operationsRoutes } from './operations.ts';
import { pairAttemptRoutes } from './pair-attempts.ts';
import { platformClientRoutes } from './platform-clients.ts';
import { privacyRoutes } from './privacy.ts';
import { projectFileRoutes } from './project-files.ts';
import { projectRoutes } from './projects.ts';
import { referenceSessionRoutes } from './reference-sessions.ts';
import { searchSettingsRoutes } from './search-settings.ts';
import { searchSuggestRoutes } from './search-suggest.ts';
import { searchRoutes } from './search.ts';
import { sessionRoutes } from './session.ts';
import { signInRoutes } from './sign-in.ts';
import { subscriptionRoutes } from './subscription.ts';
import { toolRoutes } from './tools.ts';
import { webSearchRoutes } from './web-search.ts';
import { userFileRoutes } from './user-files.ts';
import { webhookDeliveryRoutes } from './webhook-deliveries.ts';
import { webhookEndpointRoutes } from './webhook-endpoints.ts';
import { webhookEventRoutes } from './webhook-events.ts';
import { workspaceRoutes } from './workspaces.ts';

/**
 * Every endpoint. To add one: an entry in its resource's file; for a new resource, also a line here. When two paths
 * match a request, the earlier one answers, so literal segments come before parameters.
 */
export const ROUTES: readonly Route[] = [
  ...imageGenerationRoutes,
  ...healthRoutes,
  ...signInRoutes,
  ...joinRoutes,
  ...sessionRoutes,
  ...accountRoutes,
  ...ownAccountRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...subscriptionRoutes,
  ...workspaceRoutes,
  ...encryptionKeyRoutes,
  ...connectorStatusRoutes,
  ...connectorFileRoutes,
  ...connectorRoutes,
  ...credentialRoutes,
  ...connectorLinkRoutes,
  ...connectorPairRoutes,
  ...pairAttemptRoutes,
  ...documentSetRoutes,
  ...ingestionRoutes,
  ...documentCurationRoutes,
  ...documentChunkRoutes,
  ...documentListRoutes,
  ...documentFileRoutes,
  ...searchRoutes,
  ...searchSettingsRoutes,
  ...searchSuggestRoutes,
  ...webSearchRoutes,
  ...userFileRoutes,
  ...chatRoutes,
  ...sendMessageRoutes,
  ...chatSessionRoutes,
  ...chatMessageRoutes,
  ...referenceSessionRoutes,
  ...agentRoutes,
  ...projectRoutes,
  ...projectFileRoutes,
  ...platformClientRoutes,
  ...adminSearchRoutes,
  ...toolRoutes,
  ...customToolRoutes,
  ...mcpServerRoutes,
  ...billingRoutes,
  ...leadScraperRoutes,
  ...webhookEndpointRoutes,
  ...webhookEventRoutes,
  ...webhookDeliveryRoutes,
  ...gamificationRoutes,
  ...emailAccountRoutes,
  ...emailMessageRoutes,
  ...bounceMailboxRoutes,
  ...privacyRoutes,
  ...operationsQueueRoutes,
  ...operationsFailureRoutes,
  ...operationsJobRoutes,
  ...operationsRoutes,
  ...liveRoutes,
  ...findRoutes,
];
