import { z } from 'zod';

import type { NumberRange } from '#src/chat/citations/citation-numbers.ts';
import type { GeneratedImage, PacketBody } from '#src/chat/wire/packets.ts';
import type { SearchDoc, SearchHit } from '#src/documents/search-hit.ts';

/** Ids of the built-in tools, the same in every install; those that administrators add start at 1000. */
export const TOOL_IDS = {
  internalSearch: 1,
  webSearch: 2,
  openUrl: 3,
  imageGeneration: 4,
  python: 5,
} as const;

export interface ToolResult {
  /** What the model sees: JSON, or plain text. */
  text: string;
  /** Documents that the answer may cite; each has its number from `ToolContext.numbers`. */
  documents: readonly SearchDoc[];
  /** The passages behind them, for an answer without a model. */
  hits?: readonly SearchHit[];
  images?: readonly GeneratedImage[];
}

export interface ToolContext {
  /** Gives citation numbers; `text` of the result names documents by them, as `citation`. */
  numbers: NumberRange;
  /** The user's own words. */
  question: string;
  signal: AbortSignal;
}

/** What the model is told of a call that did not work: its own mistake, or somebody else's. The answer goes on. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed';
}

/** Arguments that do not fit the tool. */
export class WrongArguments extends ToolFailed {
  override readonly name = 'ToolFailed';
}

/** How a call that failed is shown. */
export interface ShownFailure {
  /** The tool's `…_start`, for a call that failed before it. */
  start: PacketBody;
  /** The reason, where the tool has a packet for it. */
  error: PacketBody | null;
}

/**
 * Something that an answer may use. `run` yields the packets that show it at work, beginning with its `…_start` and
 * without the closing `section_end`.
 */
export interface Tool {
  /** What `allowed_tool_ids` and `forced_tool_id` call it. */
  readonly id: number;
  /** What the model and `tool_calls` call it. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The list that calls in one step are merged on, such as `queries`; null when each call is on its own. */
  readonly mergedBy: string | null;
  /** Its result is what was asked for: the model answers next, without tools. */
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

/** A tool whose arguments are described and checked by one zod schema. */
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

/** Tools are made for every answer, of schemas that stay the same. */
const parametersOfSchema = new WeakMap<z.ZodObject, Tool['parameters']>();

function parametersOf(schema: z.ZodObject): Tool['parameters'] {
  const known = parametersOfSchema.get(schema);
  if (known) return known;
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(schema, { io: 'input' });
  parametersOfSchema.set(schema, parameters);
  return parameters;
}
