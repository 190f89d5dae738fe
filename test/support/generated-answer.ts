import { expect } from 'vitest';
import { z } from 'zod';

import type { ChatModelMessage } from '#src/chat/model/chat-model.ts';
import { generateAnswer, type GenerateInput } from '#src/chat/answer/generate-answer.ts';
import { type Packet, packetSchema } from '#src/chat/wire/packets.ts';
import type { ToolCall } from '#src/chat/wire/tool-call.ts';
import { createInternalSearch } from '#src/chat/built-in-tools/internal-search.ts';
import { defineTool, type Tool, ToolFailed } from '#src/chat/tools/tool.ts';
import type { SearchHit } from '#src/documents/search/search-hit.ts';
import { fakeHit } from './fake-hit.ts';

export const searchFor = (...hits: SearchHit[]): Tool => createInternalSearch(async () => hits);
export const VPN = fakeHit('vpn', 'Reset the VPN in the portal.');

/** Repeats its input after a pause that lets other calls run. */
export const echo = defineTool({
  id: 1000,
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  async *run({ text }) {
    yield { type: 'custom_tool_start', tool_name: 'echo', tool_id: 1000 };
    await Promise.resolve();
    if (text === 'fail') throw new ToolFailed('The echo is gone.');
    if (text === 'crash') throw new TypeError('a bug');
    yield {
      type: 'custom_tool_delta',
      tool_name: 'echo',
      tool_id: 1000,
      response_type: 'text',
      data: text,
      file_ids: null,
      error: null,
    };
    return { text, documents: [] };
  },
});

function input(changes: Partial<GenerateInput>): GenerateInput {
  return {
    question: 'How do I reset the VPN?',
    questionsBefore: [],
    readPassages: null,
    tools: [searchFor(VPN)],
    forcedToolId: null,
    model: null,
    temperature: null,
    prompt: (documents): ChatModelMessage[] => [
      { role: 'system', content: 'rules' },
      { role: 'user', content: `${documents ?? 'no documents'} question` },
    ],
    citations: { isShown: true },
    signal: new AbortController().signal,
    ...changes,
  };
}

interface GeneratedAnswer {
  packets: Packet[];
  calls: ToolCall[];
  order: string[];
}

export async function generated(changes: Partial<GenerateInput>): Promise<GeneratedAnswer> {
  const packets: Packet[] = [];
  const run = generateAnswer(input(changes));
  let step = await run.next();
  while (step.done !== true) {
    expect(packetSchema.parse(step.value)).toEqual(step.value);
    packets.push(step.value);
    step = await run.next();
  }
  const order = packets.map(
    ({ placement, obj }) => `T${placement.turn_index}.${placement.tab_index} ${obj.type}`,
  );
  return { packets, calls: step.value, order };
}

export const SEARCH = (turn: number, tab = 0): string[] =>
  ['start', 'queries_delta', 'documents_delta'].map(
    (part) => `T${turn}.${tab} search_tool_${part}`,
  );
export const MESSAGE = (turn: number): string[] => [
  `T${turn}.0 message_start`,
  `T${turn}.0 message_delta`,
];
export const textOf = ({ packets }: GeneratedAnswer): string =>
  packets.map(({ obj }) => (obj.type === 'message_delta' ? obj.content : '')).join('');
