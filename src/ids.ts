declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** UUID of a workspace: the boundary that no query crosses. */
export type WorkspaceId = Branded<string, 'WorkspaceId'>;
/** UUID of a user account inside a workspace; rate limits are counted per account. */
export type UserId = Branded<string, 'UserId'>;
/** UUID of an API key's row (never the key itself). */
export type ApiKeyId = Branded<string, 'ApiKeyId'>;
/** Internal row id of a document; the id callers choose is `external_id`. */
export type DocumentId = Branded<number, 'DocumentId'>;
/** Id of a connector-credential pair (`cc_pair_id` on the wire). */
export type CcPairId = Branded<number, 'CcPairId'>;
/** UUID of a chat session. */
export type ChatSessionId = Branded<string, 'ChatSessionId'>;
