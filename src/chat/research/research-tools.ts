import { z } from 'zod';

import type { ModelTool, ModelToolCall } from '#src/chat/model/chat-model.ts';

const MAX_TASK_LENGTH = 4_000;

function modelTool(name: string, description: string, input: z.ZodObject): ModelTool {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(input, { io: 'input' });
  return { name, description, parameters };
}

const taskSchema = z.object({
  task: z
    .string()
    .trim()
    .min(1)
    .describe('One task, in words that stand on their own: the agent sees nothing else.'),
});
const thoughtSchema = z.object({
  thought: z.string().trim().min(1).describe('What is known, what is missing, what comes next.'),
});

export const GENERATE_PLAN = modelTool(
  'generate_plan',
  'Starts the research: a plan is written next.',
  z.object({}),
);
export const RESEARCH_AGENT = modelTool(
  'research_agent',
  'Sends an agent to research one task. It searches, reads and reports back with its sources.',
  taskSchema,
);
export const GENERATE_REPORT = modelTool(
  'generate_report',
  'Ends the research: the final report is written next.',
  z.object({}),
);
export const THINK_TOOL = modelTool(
  'think_tool',
  'A place to think before the next step.',
  thoughtSchema,
);

/** What the orchestrator requests in one step. */
export interface Orders {
  thoughts: string[];
  tasks: { call: ModelToolCall; task: string }[];
  wantsReport: boolean;
  /** The responses to calls that start no agent. */
  answers: ReadonlyMap<ModelToolCall, string>;
}

/** Sorts the calls of one step; invalid or excess ones are answered with the reason. */
export function readOrders(calls: readonly ModelToolCall[], maxAgents: number): Orders {
  const answers = new Map<ModelToolCall, string>();
  const orders: Orders = { thoughts: [], tasks: [], wantsReport: false, answers };
  for (const call of calls) {
    switch (call.name) {
      case GENERATE_REPORT.name:
        orders.wantsReport = true;
        answers.set(call, 'The report follows.');
        break;
      case THINK_TOOL.name:
        answers.set(call, 'Noted.');
        readArguments(call, thoughtSchema, answers, ({ thought }) => orders.thoughts.push(thought));
        break;
      case RESEARCH_AGENT.name:
        readArguments(call, taskSchema, answers, ({ task }) => {
          if (orders.tasks.length < maxAgents)
            orders.tasks.push({ call, task: task.slice(0, MAX_TASK_LENGTH).toWellFormed() });
          else answers.set(call, `Not started: at most ${maxAgents} agents run at once.`);
        });
        break;
      default:
        answers.set(
          call,
          `There is no tool named ${call.name}. The tools are: ${RESEARCH_AGENT.name}, ${GENERATE_REPORT.name}.`,
        );
    }
  }
  return orders;
}

function readArguments<Input extends z.ZodObject>(
  call: ModelToolCall,
  schema: Input,
  answers: Map<ModelToolCall, string>,
  take: (input: z.output<Input>) => void,
): void {
  const parsed = schema.safeParse(parseJson(call.arguments));
  if (parsed.success) take(parsed.data);
  else answers.set(call, `The arguments are wrong. ${z.prettifyError(parsed.error)}`);
}

/** Undefined when it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
