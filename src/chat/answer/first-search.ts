import { CitationNumbers } from '#src/chat/citations/citation-numbers.ts';
import { packetAt, type Packet, type PacketBody } from '#src/chat/wire/packets.ts';
import type { ToolCall } from '#src/chat/wire/tool-call.ts';
import type { Tool, ToolResult } from '#src/chat/tools/tool.ts';

/** A question this short depends on the preceding ones. */
const SHORT_QUESTION = 80;

/** A search with the user's own words, before the model is called. */
export interface FirstSearch {
  bodies: readonly PacketBody[];
  result: ToolResult;
  numbers: CitationNumbers;
  toolCall: ToolCall;
}

/** Searches with the question; a short question is also searched together with the one before it. */
export async function searchFirst(
  search: Tool,
  { question, before, signal }: { question: string; before: string | null; signal: AbortSignal },
): Promise<FirstSearch> {
  const isShort = before !== null && question.length < SHORT_QUESTION;
  const input = { queries: isShort ? [question, `${before} ${question}`] : [question] };
  const numbers = new CitationNumbers();
  const [range] = numbers.openRanges(1);
  if (!range) throw new Error('No range was opened.');
  const run = search.run(input, { numbers: range, question, signal });
  const bodies: PacketBody[] = [];
  let step = await run.next();
  while (step.done !== true) {
    bodies.push(step.value);
    step = await run.next();
  }
  const result = step.value;
  return {
    bodies,
    result,
    numbers,
    toolCall: {
      tool_name: search.name,
      tool_arguments: input,
      tool_result: result.text,
      search_docs: [...result.documents],
      generated_images: null,
      pre_reasoning: null,
    },
  };
}

/** Yields its packets; returns the next turn index. */
export function* showFirstSearch(
  first: FirstSearch | null,
  turn: number,
): Generator<Packet, number> {
  if (first === null) return turn;
  for (const body of first.bodies) yield packetAt(turn, body);
  yield packetAt(turn, { type: 'section_end' });
  return turn + 1;
}
