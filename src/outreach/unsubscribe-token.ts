import { z } from 'zod';
import type { WorkspaceId } from '#src/ids.ts';
import { type SecretBox, UnreadableSecret } from '#src/platform/crypto.ts';

/** The purpose that every token is sealed for, so that no other sealed secret passes as a token. */
const SEALED_FOR = 'unsubscribe';

export interface Unsubscription {
  /** Workspace whose messages the person unsubscribes from. */
  workspaceId: WorkspaceId;
  /** In lower case. */
  email: string;
}

// The seal guarantees the content, so the id may be branded here.
const contentSchema = z.object({
  w: z.uuid().transform((id) => id as WorkspaceId),
  e: z.string().min(3),
});

/** Creates the token that says who unsubscribes from whom. It is self-contained (nothing is stored) and URL-safe. */
export function makeUnsubscribeToken(
  secrets: SecretBox,
  { workspaceId, email }: Unsubscription,
): string {
  return secrets.seal(JSON.stringify({ w: workspaceId, e: email.toLowerCase() }), SEALED_FOR);
}

/** @returns null for any token that `makeUnsubscribeToken` did not create with one of the link keys */
export function readUnsubscribeToken(secrets: SecretBox, token: string): Unsubscription | null {
  try {
    const { w, e } = contentSchema.parse(JSON.parse(secrets.open(token, SEALED_FOR)));
    return { workspaceId: w, email: e };
  } catch (error) {
    if (error instanceof UnreadableSecret) return null;
    throw error;
  }
}
