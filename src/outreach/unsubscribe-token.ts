import { z } from 'zod';
import type { WorkspaceId } from '#src/ids.ts';
import { type SecretBox, UnreadableSecret } from '#src/platform/crypto.ts';

/** What every token is sealed for: no other secret can be shown as one. */
const SEALED_FOR = 'unsubscribe';

export interface Unsubscription {
  /** Whose messages. */
  workspaceId: WorkspaceId;
  /** In lower case. */
  email: string;
}

// The seal vouches for what is inside, so the id may be branded here.
const contentSchema = z.object({
  w: z.uuid().transform((id) => id as WorkspaceId),
  e: z.string().min(3),
});

/** Says who unsubscribes from whom, for a link in a message. Nothing is stored; it can stand in a URL as it is. */
export function makeUnsubscribeToken(
  secrets: SecretBox,
  { workspaceId, email }: Unsubscription,
): string {
  return secrets.seal(JSON.stringify({ w: workspaceId, e: email.toLowerCase() }), SEALED_FOR);
}

/** @returns null for whatever `makeUnsubscribeToken` has not made under one of the keys of links */
export function readUnsubscribeToken(secrets: SecretBox, token: string): Unsubscription | null {
  try {
    const { w, e } = contentSchema.parse(JSON.parse(secrets.open(token, SEALED_FOR)));
    return { workspaceId: w, email: e };
  } catch (error) {
    if (error instanceof UnreadableSecret) return null;
    throw error;
  }
}
