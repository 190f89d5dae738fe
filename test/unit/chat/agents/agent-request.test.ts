import { describe, expect, it } from 'vitest';

import { agentChangeSchema, newAgentSchema } from '#src/chat/agents/agent-request.ts';

describe('a change to an agent', () => {
  it('that is empty changes nothing', () => {
    const change = agentChangeSchema.parse({});
    expect(Object.values(change).filter((value) => value !== undefined)).toEqual([]);
  });

  it.each([
    ['system_prompt', 'instructions', 'instructions', 'Be brief.'],
    ['llm_model_provider_override', 'model_provider', 'modelProvider', 'backup'],
    ['llm_model_version_override', 'model_version', 'modelVersion', 'large'],
  ] as const)('treats %s and %s as the same field', (theirs, ours, field, value) => {
    for (const body of [{ [theirs]: value }, { [ours]: value }, { [theirs]: value, [ours]: value }])
      expect(agentChangeSchema.parse(body)[field]).toBe(value);
    for (const body of [{ [theirs]: null }, { [ours]: null }, { [theirs]: null, [ours]: null }])
      expect(agentChangeSchema.parse(body)[field]).toBeNull();
    expect(agentChangeSchema.parse({ [theirs]: null, [ours]: value })[field]).toBe(value);
    const both = agentChangeSchema.safeParse({ [theirs]: value, [ours]: 'another' });
    expect(both.error?.issues).toMatchObject([{ path: [ours] }]);
  });

  it('reads a blank model as null', () => {
    expect(agentChangeSchema.parse({ model_version: ' ' }).modelVersion).toBeNull();
  });

  it('accepts document sets by name or in the form the API returns', () => {
    const { documentSetNames } = agentChangeSchema.parse({
      document_sets: [{ id: 4, name: 'Handbook' }, 'Minutes'],
    });
    expect(documentSetNames).toEqual(['Handbook', 'Minutes']);
  });

  it('distinguishes all tools, no tools and an omitted list', () => {
    const toolIds = (body: object) => agentChangeSchema.parse(body).toolIds;
    expect([toolIds({}), toolIds({ tool_ids: null }), toolIds({ tool_ids: [] })]).toEqual([
      undefined,
      null,
      [],
    ]);
  });
});

it('a new agent needs only a name', () => {
  expect(newAgentSchema.safeParse({}).success).toBe(false);
  expect(newAgentSchema.parse({ name: ' Lawyer ' }).name).toBe('Lawyer');
});
