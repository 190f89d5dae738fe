import { z } from 'zod';
import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import type { ChatSessionId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import { isUuid } from '#src/platform/is-uuid.ts';

/** Largest value of a Postgres `integer`. */
const MAX_ID = 2_147_483_647;
const given = z.coerce.number('must be a whole number').int('must be a whole number');

/** Identifies a session and its owner. */
export interface SessionAddress extends ChatOwner {
  id: ChatSessionId;
}

/**
 * A path id is branded here, after its format is checked: an id of any other format cannot exist.
 * @throws Problem NOT_FOUND
 */
export function sessionIdOf(text: string): ChatSessionId {
  if (!isUuid(text)) throw unknownSession(text);
  return text.toLowerCase() as ChatSessionId;
}

/** The same in a body, where any other format is an error of that field. */
export const sessionIdField = z
  .guid('must be the UUID of a chat session')
  .transform((id) => id.toLowerCase() as ChatSessionId);

/** Id of an agent, a project or a message; the query tells whether it exists. */
export const numericId = z.int().min(0).max(MAX_ID);
/** The same in a query string. */
export const queryId = given.min(0).max(MAX_ID);

/**
 * The same error for a session that does not exist, was deleted, or belongs to someone else, so that callers cannot
 * tell them apart.
 */
export function unknownSession(id: string): Problem {
  const shown = JSON.stringify(id.slice(0, 100));
  return new Problem('NOT_FOUND', `You have no chat session with the id ${shown}.`);
}

export function unknownMessage(id: number): Problem {
  return new Problem('NOT_FOUND', `You have no chat message with the id ${id}.`);
}
