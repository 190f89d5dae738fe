import { z } from 'zod';

import type { NumberRange } from '#src/chat/citations/citation-numbers.ts';
import type { GeneratedImage, PacketBody } from '#src/chat/wire/packets.ts';
import type { SearchDoc, SearchHit } from '#src/documents/search/search-hit.ts';

/** Ids of the built-in tools, the same in every installation; those that administrators add start at 1000. */
export const TOOL_IDS = {
  internalSearch: 1,
  webSearch: 2,
  openUrl: 3,
  imageGeneration: 4,
  python: 5,
} as const;

export interface ToolResult {
  /** The text for the model: JSON, or plain text. */
  text: string;
  /** Documents that the answer may cite; each has its number from `ToolContext.numbers`. */
  documents: readonly SearchDoc[];
  /** Their passages, for an answer without a model. */
  hits?: readonly SearchHit[];
  images?: readonly GeneratedImage[];
}

export interface ToolContext {
  /** Assigns citation numbers; `text` of the result refers to documents by them, as `citation`. */
  numbers: NumberRange;
  /** The user's own words. */
  question: string;
  signal: AbortSignal;
}

/** What the model is told about a failed call, whoever caused it. The answer continues. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed';
}

/** Arguments that do not fit the tool. */
export class WrongArguments extends ToolFailed {
  override readonly name = 'ToolFailed';
}

/** How a failed call is shown. */
export interface ShownFailure {
  /** The tool's `…_start`, for a call that failed before it. */
  start: PacketBody;
  /** The reason, if the tool has a packet for it. */
  error: PacketBody | null;
}

/**
 * A tool for answers. `run` yields the packets that show its progress, beginning with its `…_start` and without the
 * closing `section_end`.
 */
export interface Tool {
  /** Its id in `allowed_tool_ids` and `forced_tool_id`. */
  readonly id: number;
  /** Its name for the model and in `tool_calls`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The list on which calls of one step are merged, such as `queries`; null to run each call separately. */
  readonly mergedBy: string | null;
  /** Its result is the answer to the request: the model answers next, without tools. */
  readonly isLast: boolean;
  /** Without it, a call that fails before its first packet is not shown. */
  readonly showFailure?: (failure: ToolFailed) => ShownFailure;
  /**
   * @param input the parsed JSON of the arguments, unchecked
   * @throws ToolFailed with a sentence for the model, the signal's reason when it aborts
   */
  run(input: unknown, context: ToolContext): AsyncGenerator<PacketBody, ToolResult>;
}

type Optional = 'mergedBy' | 'isLast' | 'showFailure';

/** A tool whose arguments are described and validated by one zod schema. */
export function defineTool<Input extends z.ZodObject>(
  definition: Omit<Tool, 'parameters' | 'run' | Optional> &
    Partial<Pick<Tool, Optional>> & {
      input: Input;
      run: (input: z.output<Input>, context: ToolContext) => AsyncGenerator<PacketBody, ToolResult>;
    },
): Tool {
  const { input: schema, run, ...facts } = definition;
  const parameters = parametersOf(schema);
  return {
    mergedBy: null,
    isLast: false,
    ...facts,
    parameters,
    run(input, context) {
      const parsed = schema.safeParse(input);
      if (!parsed.success)
        throw new WrongArguments(`The arguments are wrong. ${z.prettifyError(parsed.error)}`);
      return run(parsed.data, context);
    },
  };
}

/** Cached, because tools are created for every answer from the same schemas. */
const parametersOfSchema = new WeakMap<z.ZodObject, Tool['parameters']>();

function parametersOf(schema: z.ZodObject): Tool['parameters'] {
  const known = parametersOfSchema.get(schema);
  if (known) return known;
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(schema, { io: 'input' });
  parametersOfSchema.set(schema, parameters);
  return parameters;
}
