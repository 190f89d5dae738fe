import type { UserId, WorkspaceId } from '#src/ids.ts';

/** Whose conversation: every query takes both ids. */
export interface ChatOwner {
  workspaceId: WorkspaceId;
  userId: UserId;
}
