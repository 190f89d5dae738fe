import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatFullResponseSchema } from '#src/chat/stream/full-response.ts';
import { assemble, orderOf, readChatBody } from '#test/support/chat-streams.ts';
import {
  answersText,
  callsTools,
  isShownTool,
  type LlmRequestBody,
  type LlmScript,
  type ScriptedLlm,
  startLlm,
  toolResults,
} from '#test/support/scripted-llm.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let llm: ScriptedLlm;
let millrace: TestMillrace;
let asksBack = false;

/** A model that plans, sends two agents and reports; each agent searches once. */
function research(body: LlmRequestBody): LlmScript {
  const results = toolResults(body).length;
  if (isShownTool(body, 'generate_plan')) {
    return asksBack
      ? answersText('Which VPN do you mean?')
      : callsTools([{ name: 'generate_plan', args: {} }]);
  }
  if (isShownTool(body, 'research_agent')) {
    const tasks = ['the VPN', 'the printer'].map((task) => ({
      name: 'research_agent',
      args: { task: `Find out about ${task}.` },
    }));
    return results === 0 ? callsTools(tasks) : callsTools([{ name: 'generate_report', args: {} }]);
  }
  if (isShownTool(body, 'internal_search')) {
    const query = JSON.stringify(body.messages).includes('about the VPN') ? 'VPN' : 'printer';
    return results === 0
      ? callsTools([{ name: 'internal_search', args: { queries: [query] } }])
      : answersText('I have what I need.');
  }
  return answersText('Written', ' down [1].');
}

beforeAll(async () => {
  llm = await startLlm(research);
  millrace = await startTestMillrace({ LLM_BASE_URL: llm.baseUrl, LLM_MODEL: 'scripted' });
  for (const [id, text] of [
    ['vpn', 'To reset the VPN, open the portal.'],
    ['printer', 'The printer takes A3 paper.'],
  ]) {
    await millrace.call('POST', '/service-api/ingestion', {
      document: { id, semantic_identifier: id, sections: [{ text }], source: 'web', metadata: {} },
    });
  }
  await millrace.settled();
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
});

const ask = (body: object, prefix = '') =>
  millrace.call('POST', `${prefix}/chat/send-chat-message`, {
    message: 'Compare the VPN and the printer.',
    deep_research: true,
    ...body,
  });

describe('deep research', () => {
  it('plans, runs agents in parallel, and reports with the documents they cite', async () => {
    const { status, text } = await ask({ stream: true }, '/api');
    const stream = readChatBody(status, text);
    const order = orderOf(stream);
    expect(order.slice(0, 6)).toEqual([
      'T0.0 deep_research_plan_start',
      'T0.0 deep_research_plan_delta',
      'T0.0 section_end',
      'T1.0 top_level_branching',
      'T1.0 research_agent_start',
      'T1.1 research_agent_start',
    ]);
    for (const tab of [0, 1]) {
      const agent = order.filter((name) => name.startsWith(`T1.${tab}`));
      expect(agent.filter((name) => name.includes('search_tool_start'))).toHaveLength(1);
      expect(agent.slice(-4).map((name) => name.split(' ')[1])).toEqual([
        'intermediate_report_start',
        'intermediate_report_delta',
        'intermediate_report_cited_docs',
        'section_end',
      ]);
    }
    const answerAt = order.findIndex((name) => name.endsWith('message_start'));
    expect(order.slice(answerAt).map((name) => name.split(' ')[1])).toEqual([
      'message_start',
      'message_delta',
      'citation_info',
      'message_delta',
      'stop',
    ]);
    const { answer, top_documents } = assemble(stream);
    expect(answer).toBe('Written down [[1]]().');
    expect(top_documents).toHaveLength(2);
  });

  it('gives the same answer as one object', async () => {
    const { body } = await ask({ stream: false });
    expect(chatFullResponseSchema.strict().parse(body)).toEqual(body);
    expect(body).toMatchObject({ answer: 'Written down [[1]]().', error_msg: null });
    expect(body.tool_calls.map((call: { tool_name: string }) => call.tool_name).toSorted()).toEqual(
      ['internal_search', 'internal_search', 'research_agent', 'research_agent'],
    );
  });

  it('asks for clarification once, and continues with the reply', async () => {
    asksBack = true;
    const first = await ask({ stream: false });
    expect(first.body).toMatchObject({ answer: 'Which VPN do you mean?', tool_calls: [] });
    const { text } = await ask({
      message: 'The new one.',
      stream: true,
      chat_session_id: first.body.chat_session_id,
    });
    expect(orderOf(readChatBody(200, text))[0]).toBe('T0.0 deep_research_plan_start');
    asksBack = false;
  });

  it.each([
    [{ allowed_tool_ids: [] }, /none of the tools/],
    [{ chat_session_info: { project_id: 999 } }, /project/],
  ])('%j is refused before anything is streamed', async (body, says) => {
    const { status, body: answer } = await ask({ stream: true, ...body });
    expect([400, 404]).toContain(status);
    expect(answer.detail).toMatch(says);
  });
});
