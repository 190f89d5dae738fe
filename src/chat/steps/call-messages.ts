import type { ChatModelMessage, ModelToolCall, ProviderState } from '#src/chat/model/chat-model.ts';

/** A model's message with its calls, for the request that returns the results. */
interface CallingStep {
  text: string;
  state: ProviderState | undefined;
}

const NO_TOOLS_LEFT =
  'Not run: no tools are left. Answer now, in words, with what you have; say plainly what is missing.';

/** The message of a model that has called tools, in the form that its provider wants back. */
export function callingMessage(
  { text, state }: CallingStep,
  toolCalls: readonly ModelToolCall[],
): ChatModelMessage {
  return { role: 'assistant', content: text, toolCalls, ...(state !== undefined && { state }) };
}

/** For a model that calls tools when it has none: its calls, and the instruction to answer without. */
export function refusedCalls(
  step: CallingStep,
  calls: readonly ModelToolCall[],
): ChatModelMessage[] {
  return [
    callingMessage(step, calls),
    ...calls.map(({ id, name }) => ({
      role: 'tool' as const,
      toolCallId: id,
      toolName: name,
      content: NO_TOOLS_LEFT,
    })),
  ];
}
