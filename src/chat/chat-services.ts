import type { DocumentServices } from '#src/documents/document-services.ts';
import type { FileServices } from '#src/files/file-services.ts';
import type { LeadServices } from '#src/leads/lead-services.ts';
import type { ChatModels } from '#src/chat/model/chat-models.ts';
import type { UsageLedger } from '#src/chat/model/usage-ledger.ts';
import type { PythonSandbox } from '#src/chat/python/python-sandbox.ts';
import type { RunServices } from '#src/chat/runs/run-services.ts';
import type { TurnWriter } from '#src/chat/turns/turn-writer.ts';

/** The services that chat needs. Lower layers, such as the model, get individual ones. */
export interface ChatServices
  extends DocumentServices, FileServices, RunServices, Pick<LeadServices, 'leadExtractor'> {
  /** Without any models, answers are extractive. */
  readonly chatModels: ChatModels;
  /** Counts the tokens that workspaces use. */
  readonly usageLedger: UsageLedger;
  /** Batches writes of chat turns that begin or end at the same time. */
  readonly turnWriter: TurnWriter;
  /** Starts a process for each run; null when `PYTHON_TOOL` is off. */
  readonly pythonSandbox: PythonSandbox | null;
}
