import { z } from 'zod';

import { displayName } from '#src/platform/display-name.ts';

const MAX_DESCRIPTION = 2_000;
const MAX_INSTRUCTIONS = 50_000;
const MAX_NAMES = 200;
const MAX_STARTERS = 10;
const MAX_STARTER = 1_000;
const MAX_INTEGER = 2_147_483_647;

const plain = (limit: number) =>
  z
    .string()
    .max(limit)
    .refine((text) => !/\0|\p{Cs}/u.test(text), 'must not hold NUL or half surrogate pairs');
const rowIds = z.array(z.int().min(1).max(MAX_INTEGER)).max(MAX_NAMES);
/** A blank name means none. */
const modelName = z
  .string()
  .trim()
  .max(200)
  .nullish()
  .transform((name) => (name === '' ? null : name));
const starter = z.object({ name: plain(200), message: plain(MAX_STARTER) });
const ignored = z.array(z.unknown()).nullish().describe('Ignored.');

const fields = {
  description: plain(MAX_DESCRIPTION).nullish(),
  system_prompt: plain(MAX_INSTRUCTIONS).nullish(),
  instructions: plain(MAX_INSTRUCTIONS).nullish().describe('Another name of system_prompt.'),
  task_prompt: z
    .string()
    .max(0, 'is not supported: put it into system_prompt')
    .nullish()
    .describe('Empty; its text belongs into system_prompt.'),
  tool_ids: rowIds.nullish().describe('Null: all tools; []: none.'),
  document_set_ids: rowIds.nullish().describe('None: all documents.'),
  document_sets: z
    .array(z.union([plain(200), z.object({ name: plain(200) })]))
    .max(MAX_NAMES)
    .nullish()
    .describe('The same by name; send one of the two.'),
  llm_model_provider_override: modelName,
  model_provider: modelName.describe('Another name of llm_model_provider_override.'),
  llm_model_version_override: modelName,
  model_version: modelName.describe('Another name of llm_model_version_override.'),
  temperature: z.number().min(0).max(2).nullish(),
  is_public: z.boolean().nullish().describe('False: only its maker sees it. True unless told.'),
  starter_messages: z.array(starter).max(MAX_STARTERS).nullish(),
  users: ignored,
  groups: ignored,
};

/** Pairs of names for the same field. */
const ALIASES = [
  ['system_prompt', 'instructions'],
  ['llm_model_provider_override', 'model_provider'],
  ['llm_model_version_override', 'model_version'],
] as const;

export const newAgentSchema = z
  .object({ name: displayName, ...fields })
  .superRefine(refuseContradictions)
  .transform((body) => ({ ...readFields(body), name: body.name }))
  .meta({ id: 'NewAgent' });

export const agentChangeSchema = z
  .object({ name: displayName.optional(), ...fields })
  .superRefine(refuseContradictions)
  .transform((body) => ({ ...readFields(body), name: body.name }))
  .meta({ id: 'AgentChange' });

/** The changes that a caller wants; undefined keeps the current value. */
export type AgentChange = z.output<typeof agentChangeSchema>;
export type NewAgent = z.output<typeof newAgentSchema>;

type Fields = z.output<z.ZodObject<typeof fields>>;

function refuseContradictions(body: Fields, context: z.RefinementCtx): void {
  for (const [first, second] of ALIASES) {
    if (isSent(body[first]) && isSent(body[second]) && body[first] !== body[second]) {
      const message = `differs from ${first}, which is the same field: send one of them`;
      context.addIssue({ code: 'custom', path: [second], message });
    }
  }
  if (isSent(body.document_sets) && isSent(body.document_set_ids)) {
    const message = 'and document_set_ids are the same field: send one of them';
    context.addIssue({ code: 'custom', path: ['document_sets'], message });
  }
}

function isSent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function readFields(body: Fields) {
  return {
    description: body.description,
    instructions: firstOf(body.system_prompt, body.instructions),
    toolIds: body.tool_ids === undefined ? undefined : unique(body.tool_ids),
    documentSetIds: body.document_set_ids ?? undefined,
    documentSetNames: body.document_sets?.map((set) => (typeof set === 'string' ? set : set.name)),
    modelProvider: firstOf(body.llm_model_provider_override, body.model_provider),
    modelVersion: firstOf(body.llm_model_version_override, body.model_version),
    temperature: body.temperature,
    isPublic: body.is_public ?? undefined,
    starterMessages: body.starter_messages,
  };
}

/** Null, which clears the field, may be sent under either name. */
function firstOf<T>(first: T, second: T): T {
  return first ?? second ?? (first === undefined ? second : first);
}

function unique(ids: readonly number[] | null): number[] | null {
  return ids && [...new Set(ids)];
}
