import type { PacketBody } from '#src/chat/packets.ts';
import type { SearchHit } from '#src/documents/search-hit.ts';

export interface ToolResult {
  /** What the model sees: JSON. */
  text: string;
  /** Documents that the answer may cite, one hit a document; the first is citation 1. */
  hits: SearchHit[];
}

/** Something that an answer may use. It yields the packets that show it at work, without the closing `section_end`. */
export interface Tool<Arguments> {
  /** What `allowed_tool_ids` and `forced_tool_id` call it. */
  readonly id: number;
  /** What the model and `tool_calls` call it. */
  readonly name: string;
  run(input: Arguments, signal: AbortSignal): AsyncGenerator<PacketBody, ToolResult>;
}
