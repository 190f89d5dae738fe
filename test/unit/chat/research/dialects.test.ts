import { describe, expect, it } from 'vitest';

import { openLlm } from '#test/support/ask-llm.ts';
import type { ScriptedAnswer } from '#test/support/llm-dialects/dialect.ts';
import { answerOf, research } from '#test/support/research-stage.ts';
import { isShownTool, type LlmRequestBody, toolResults } from '#test/support/scripted-llm.ts';
import { DIALECTS, startStrictLlm } from '#test/support/strict-llm.ts';

/** A research of one agent that searches twice; the model calls a tool when it should write its report. */
function plan(showsReasoning: boolean): (body: LlmRequestBody) => ScriptedAnswer {
  let reportsRefused = 0;
  const calls = (name: string, args: unknown): ScriptedAnswer => ({
    ...(showsReasoning && { reasoning: `I call ${name}.` }),
    calls: [{ name, args }],
  });
  return (body) => {
    const results = toolResults(body).length;
    if (isShownTool(body, 'generate_plan')) return calls('generate_plan', {});
    if (isShownTool(body, 'research_agent'))
      return results < 2
        ? calls('research_agent', { task: `Task ${results}` })
        : calls('generate_report', {});
    if (isShownTool(body, 'internal_search') && body['tool_choice'] !== 'none')
      return results < 2 ? calls('internal_search', { queries: ['price'] }) : { text: 'Enough.' };
    if (results > 0 && !toolResults(body).some((told) => told.includes('no tools are left'))) {
      reportsRefused += 1;
      return calls('internal_search', { queries: ['again'] });
    }
    return { text: reportsRefused > 0 && results === 0 ? 'Five [1].' : 'It costs 5 [1].' };
  };
}

describe('a research', () => {
  it.each(DIALECTS.map((dialect) => [dialect.server, dialect] as const))(
    'with a model of %s keeps its state through all rounds',
    async (_server, dialect) => {
      await using llm = await startStrictLlm(dialect, plan(dialect.showsReasoning));
      const model = openLlm(llm, { model: dialect.model });
      const { packets, outcome } = await research(model);
      expect(answerOf(packets)).toContain('[[1]](');
      expect(
        outcome.toolCalls.filter(({ tool_name }) => tool_name === 'research_agent'),
      ).toHaveLength(2);
      const reports = packets.filter(({ obj }) => obj.type === 'intermediate_report_start');
      expect(reports).toHaveLength(2);
      const reasons = llm.refused.map((words) => words.replaceAll(/\d+/g, 'n'));
      expect(new Set(reasons).size, llm.refused.join('\n')).toBe(reasons.length);
    },
  );
});
