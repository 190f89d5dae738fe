import type { UserId, WorkspaceId } from '#src/ids.ts';

/** The owner of a conversation: every query uses both ids. */
export interface ChatOwner {
  workspaceId: WorkspaceId;
  userId: UserId;
}
