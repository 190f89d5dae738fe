import type { ChatModel, ChatModelPart, ChatModelRequest } from '#src/chat/model/chat-model.ts';
import { type ChatModelSettings, createChatModel } from '#src/chat/model/llm.ts';
import { ModelFailed } from '#src/chat/model/model-failed.ts';
import { createOperatorFetch } from '#src/platform/http.ts';
import type { ScriptedLlm } from './scripted-llm.ts';

const fetch = createOperatorFetch();

export const LLM_KEY = 'sk-very-secret';

export interface LlmOutcome {
  parts: ChatModelPart[];
  failure: ModelFailed | null;
}

/** The real client for a scripted server; it retries after one millisecond. */
export function openLlm(llm: ScriptedLlm, settings: Partial<ChatModelSettings> = {}): ChatModel {
  return createChatModel({
    provider: 'openai-compatible',
    baseUrl: llm.baseUrl,
    apiKey: LLM_KEY,
    model: 'm',
    contextTokens: 128_000,
    callsTools: true,
    readsImages: false,
    fetch,
    ...settings,
    timings: { retryDelayMs: 1, ...settings.timings },
  });
}

/** Asks the scripted server and collects every part of the answer. */
export async function askLlm(
  llm: ScriptedLlm,
  request: Partial<ChatModelRequest> = {},
  settings: Partial<ChatModelSettings> = {},
): Promise<LlmOutcome> {
  const parts: ChatModelPart[] = [];
  const messages = [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: 'Hi' },
  ];
  const { signal } = new AbortController();
  try {
    const asked = { messages, temperature: 0.3, signal, ...request };
    for await (const part of openLlm(llm, settings).stream(asked)) parts.push(part);
    return { parts, failure: null };
  } catch (error) {
    if (!(error instanceof ModelFailed)) throw error;
    return { parts, failure: error };
  }
}

/** Text of an answer. */
export const said = ({ parts }: LlmOutcome): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

export const text = (words: string): ChatModelPart => ({ type: 'text', text: words });
export const reasoning = (words: string): ChatModelPart => ({ type: 'reasoning', text: words });
export const finished = (
  reason: Extract<ChatModelPart, { type: 'finish' }>['reason'] = 'stop',
): ChatModelPart => ({ type: 'finish', reason, usage: null });
export const toolCall = (id: string, name: string, written: string): ChatModelPart => ({
  type: 'tool-call',
  call: { id, name, arguments: written },
});
