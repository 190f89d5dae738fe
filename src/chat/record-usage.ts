import type { WorkspaceId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import type { ChatModel } from './chat-model.ts';

/** The same model; each of its calls is entered in the ledger. */
export function recordUsage<Model extends ChatModel | null>(
  model: Model,
  ledger: Services['usageLedger'],
  workspaceId: WorkspaceId,
): Model extends null ? ChatModel | null : ChatModel;
export function recordUsage(
  model: ChatModel | null,
  ledger: Services['usageLedger'],
  workspaceId: WorkspaceId,
): ChatModel | null {
  if (model === null) return null;
  return {
    ...model,
    async *stream(request) {
      for await (const part of model.stream(request)) {
        if (part.type === 'finish' && part.usage !== null)
          ledger.record(workspaceId, model, part.usage);
        yield part;
      }
    },
  };
}
