declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** UUID of a workspace: the boundary that no query crosses. */
export type WorkspaceId = Branded<string, 'WorkspaceId'>;
/** UUID of a user account inside a workspace; rate limits are counted per account. */
export type UserId = Branded<string, 'UserId'>;
/** UUID of an API key's row (never the key itself). */
export type ApiKeyId = Branded<string, 'ApiKeyId'>;
/** UUID of a person who signs in. */
export type PersonId = Branded<string, 'PersonId'>;
/** UUID of a session's row (never its token). */
export type PersonSessionId = Branded<string, 'PersonSessionId'>;
/** UUID of an invitation to a workspace. */
export type InvitationId = Branded<string, 'InvitationId'>;
/** Internal row id of a document; the id callers choose is `external_id`. */
export type DocumentId = Branded<number, 'DocumentId'>;
/** Id of a connector-credential pair (`cc_pair_id` on the wire). */
export type CcPairId = Branded<number, 'CcPairId'>;
/** Id of a connector: a source with its settings. */
export type ConnectorId = Branded<number, 'ConnectorId'>;
/** Id of a credential; 0 is the built-in empty one, which has no row. */
export type CredentialId = Branded<number, 'CredentialId'>;
/** Id of one run of a pair (`index_attempt` on the wire). */
export type IndexAttemptId = Branded<number, 'IndexAttemptId'>;
/** Id of one comparison of a pair with its source. */
export type PruneAttemptId = Branded<number, 'PruneAttemptId'>;
/** UUID of an uploaded file. */
export type StoredFileId = Branded<string, 'StoredFileId'>;
/** UUID of a chat session. */
export type ChatSessionId = Branded<string, 'ChatSessionId'>;
/** UUID of a webhook endpoint: a URL of a workspace to which events are posted. */
export type WebhookEndpointId = Branded<string, 'WebhookEndpointId'>;
/** `evt_` and 32 hex digits; the `webhook-id` that receivers see, the same on all attempts. */
export type WebhookEventId = Branded<string, 'WebhookEventId'>;
/** Id of the delivery of one event to one endpoint. */
export type WebhookDeliveryId = Branded<number, 'WebhookDeliveryId'>;
/** Id of an entry of the do-not-contact list. */
export type DoNotContactId = Branded<number, 'DoNotContactId'>;
/** UUID of a lead scrape: one search for leads. */
export type LeadScrapeId = Branded<string, 'LeadScrapeId'>;
/** UUID of a lead: a person or organisation found by a scrape. */
export type LeadId = Branded<string, 'LeadId'>;
/** UUID of a sender account. */
export type EmailAccountId = Branded<string, 'EmailAccountId'>;
/** UUID of a message through a sender account; `verification_id` on the wire when it verifies the account. */
export type EmailMessageId = Branded<string, 'EmailMessageId'>;
/** UUID of a bounce mailbox: where reports about returned messages arrive. */
export type BounceMailboxId = Branded<string, 'BounceMailboxId'>;
/** Id of an agent (`persona_id` on the wire); 0 is the default one, which has no row. */
export type AgentId = Branded<number, 'AgentId'>;
/** Id of a project: a user's files, instructions and conversations on one subject. */
export type ProjectId = Branded<number, 'ProjectId'>;
/** UUID of a file that a user uploaded for chats; its bytes are a stored file. */
export type UserFileId = Branded<string, 'UserFileId'>;
/** Id of a tool added by an administrator; built-in ones have ids below 1000. */
export type CustomToolId = Branded<number, 'CustomToolId'>;
/** Id of an MCP server whose tools a workspace uses. */
export type McpServerId = Branded<number, 'McpServerId'>;
