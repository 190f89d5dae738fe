import { CitationNumbers, type NumberRange } from '#src/chat/citations/citation-numbers.ts';
import { type PacketBody, packetBodySchema } from '#src/chat/wire/packets.ts';
import type { Tool, ToolResult } from '#src/chat/tools/tool.ts';

export interface ToolRun {
  packets: PacketBody[];
  result: ToolResult;
}

/** The error of a tool run, with the packets before it. */
export class ToolRunFailed extends Error {
  override readonly name = 'ToolRunFailed';
  readonly packets: PacketBody[];

  constructor(cause: unknown, packets: PacketBody[]) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.packets = packets;
  }
}

/** Runs a tool to its end and validates each packet against its schema. @throws ToolRunFailed */
export async function runTool(
  tool: Tool | null,
  input: unknown,
  context: { question?: string; numbers?: NumberRange; signal?: AbortSignal } = {},
): Promise<ToolRun> {
  if (tool === null) throw new Error('There is no such tool.');
  const packets: PacketBody[] = [];
  const [range] = new CitationNumbers().openRanges(1);
  if (!range) throw new Error('There is no range.');
  try {
    const run = tool.run(input, {
      numbers: range,
      question: '',
      signal: new AbortController().signal,
      ...context,
    });
    let step = await run.next();
    while (step.done !== true) {
      packets.push(packetBodySchema.parse(step.value));
      step = await run.next();
    }
    return { packets, result: step.value };
  } catch (error) {
    throw new ToolRunFailed(error, packets);
  }
}

/** The error of a failing tool as a `ToolRunFailed`. */
export function failureOfTool(...args: Parameters<typeof runTool>): Promise<ToolRunFailed> {
  return runTool(...args).then(
    () => {
      throw new Error('The tool did not fail.');
    },
    (error: unknown) => {
      if (error instanceof ToolRunFailed) return error;
      throw error;
    },
  );
}

export const typesOf = (packets: readonly PacketBody[]): string[] =>
  packets.map(({ type }) => type);

/** The `open_url` result that the model receives. */
export interface OpenedPages {
  results: { citation: number; url: string; title: string; content: string; notice?: string }[];
  failed?: { url: string; reason: string }[];
}
// Written by the tool itself.
export const openedPages = (text: string): OpenedPages => JSON.parse(text) as OpenedPages;
