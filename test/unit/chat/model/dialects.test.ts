import { describe, expect, it } from 'vitest';

import { askLlm, openLlm, said as saidBy } from '#test/support/ask-llm.ts';
import { echo, generated, searchFor, textOf, VPN } from '#test/support/generated-answer.ts';
import type { Dialect, ScriptedAnswer } from '#test/support/llm-dialects/dialect.ts';
import { DIALECTS, dialectOf, startStrictLlm } from '#test/support/strict-llm.ts';

/** Thinks and calls two tools, then thinks, speaks and calls one, then answers. */
function loop(dialect: Dialect, step: number): ScriptedAnswer {
  const thought = (reasoning: string): Pick<ScriptedAnswer, 'reasoning'> =>
    dialect.showsReasoning ? { reasoning } : {};
  const calls = ['one', 'two'].map((text) => ({ name: 'echo', args: { text } }));
  if (step === 0) return { ...thought('First both.'), calls };
  if (step === 1) return { ...thought('Then this.'), text: 'One more.', calls: calls.slice(0, 1) };
  return { ...thought('Done.'), text: 'All is well.' };
}

/** Refusals from which the client learns once per process; all other servers accept the first request. */
const REFUSED_ONCE: Readonly<Record<string, number>> = {
  OpenAI: 1,
  'Azure OpenAI': 1,
  'Moonshot (Kimi)': 1,
  Fireworks: 1,
  'Claude behind LiteLLM': 1,
};

describe.each(DIALECTS.map((dialect) => [dialect.server, dialect] as const))(
  'a model of %s',
  (server, dialect) => {
    it('uses tools, gets its state back and answers, and refuses each setting only once', async () => {
      await using llm = await startStrictLlm(dialect, (_body, taken) => loop(dialect, taken % 3));
      const model = openLlm(llm, { model: dialect.model });
      for (const round of [1, 2]) {
        const { order, packets, calls } = await generated({
          model,
          tools: [echo],
          temperature: 0.3,
        });
        expect(llm.refused, llm.refused.join('\n')).toHaveLength(REFUSED_ONCE[server] ?? 0);
        expect(calls.map((call) => call.tool_arguments)).toEqual([
          { text: 'one' },
          { text: 'two' },
          { text: 'one' },
        ]);
        const last = packets.findLastIndex(({ obj }) => obj.type === 'message_start');
        expect(textOf({ packets: packets.slice(last), calls, order })).toBe('All is well.');
        const thoughts = packets.map(({ obj }) =>
          obj.type === 'reasoning_delta' ? obj.reasoning : '',
        );
        const joined = thoughts.join('').replaceAll('\n', '');
        expect(joined, `round ${round}`).toBe(
          dialect.showsReasoning ? 'First both.Then this.Done.' : '',
        );
      }
    });

    it('can be forced to search, names a chat within a length limit and reports truncation', async () => {
      await using llm = await startStrictLlm(dialect, (body) => ({
        text: body.tools === undefined ? 'Short' : 'Here it is [1].',
        isTruncated: true,
      }));
      const model = openLlm(llm, { model: dialect.model });
      const cut: string[] = [];
      for (const round of [1, 2]) {
        const answer = await generated({
          model,
          tools: [searchFor(VPN)],
          forcedToolId: 1,
          onCut: () => cut.push(server),
        });
        expect(answer.calls).toHaveLength(1);
        expect(textOf(answer)).toContain('reached its limit on length');
        expect(cut).toHaveLength(round);
      }
      const before = llm.refused.length;
      expect([await ask(model), await ask(model)]).toEqual([
        ['Short', 'length'],
        ['Short', 'length'],
      ]);
      expect(llm.refused.length - before).toBeLessThanOrEqual(1);
      const reasons = new Set(llm.refused.map((words) => words.replaceAll(/\d+/g, 'n')));
      expect(reasons.size).toBe(llm.refused.length);
    });
  },
);

/** Like the request for a chat title: with a length limit and without temperature. */
async function ask(model: ReturnType<typeof openLlm>): Promise<[string, string]> {
  const messages = [{ role: 'user' as const, content: 'A title, please.' }];
  const { signal } = new AbortController();
  let text = '';
  let reason = '';
  const parts = model.stream({ messages, temperature: null, maxOutputTokens: 400, signal });
  for await (const part of parts) {
    if (part.type === 'text') text += part.text;
    if (part.type === 'finish') ({ reason } = part);
  }
  return [text, reason];
}

describe('a strict test server', () => {
  it('exists for at least twelve vendors, each with its sources', () => {
    expect(new Set(DIALECTS.map(({ server }) => server)).size).toBe(DIALECTS.length);
    expect(DIALECTS.length).toBeGreaterThanOrEqual(12);
    for (const { sources } of DIALECTS) expect(sources.length).toBeGreaterThan(0);
  });

  const call = { id: 'abcdefgh1', name: 'echo', arguments: '{"text":"x"}' };
  const result = { role: 'tool', toolCallId: call.id, toolName: 'echo', content: 'x' } as const;
  const user = { role: 'user', content: 'Hi' } as const;
  const calling = { role: 'assistant', content: '', toolCalls: [call] } as const;

  it.each(DIALECTS.map((dialect) => [dialect.server, dialect] as const))(
    'of %s refuses results without calls and calls without results',
    async (_server, dialect) => {
      await using llm = await startStrictLlm(dialect, () => ({ text: 'Hi' }));
      const settings = { model: dialect.model };
      const orphan = await askLlm(llm, { messages: [user, result], temperature: null }, settings);
      expect(orphan.failure?.errorCode).toMatch(/BAD_REQUEST|API_ERROR/);
      const open = await askLlm(llm, { messages: [user, calling], temperature: null }, settings);
      expect(open.failure?.errorCode).toMatch(/BAD_REQUEST|API_ERROR/);
    },
  );

  it.each([
    ['Gemini', 'missing a thought_signature'],
    ['Moonshot (Kimi)', 'reasoning_content is missing'],
    ['DeepSeek', 'must be passed back'],
  ])('of %s demands the state of a call made elsewhere only once', async (server, words) => {
    const dialect = dialectOf(server);
    await using llm = await startStrictLlm(dialect, () => ({ text: 'Hi' }));
    const model = openLlm(llm, { model: dialect.model });
    const { signal } = new AbortController();
    for (const round of [1, 2]) {
      const messages = [user, calling, result];
      let text = '';
      for await (const part of model.stream({ messages, temperature: null, signal }))
        if (part.type === 'text') text += part.text;
      expect([round, text]).toEqual([round, 'Hi']);
    }
    expect(llm.refused).toHaveLength(1);
    expect(llm.refused[0]).toContain(words);
  });

  it('of Ollama gets non-object arguments in another form after refusing them once', async () => {
    const dialect = dialectOf('Ollama');
    await using llm = await startStrictLlm(dialect, () => ({ text: 'Hi' }));
    const broken = { ...calling, toolCalls: [{ ...call, arguments: '{"text": ' }] };
    expect(saidBy(await askLlm(llm, { messages: [user, broken, result] }))).toBe('Hi');
    expect(llm.refused).toHaveLength(1);
  });

  it.each(['vLLM', 'llama.cpp'])(
    'of %s gets several system messages merged into one',
    async (server) => {
      const dialect = dialectOf(server);
      await using llm = await startStrictLlm(dialect, () => ({ text: 'Hi' }));
      const rules = ['One.', 'Two.'].map((content) => ({ role: 'system' as const, content }));
      expect(saidBy(await askLlm(llm, { messages: [...rules, user] }))).toBe('Hi');
      expect(llm.calls.at(-1)?.body.messages[0]).toEqual({
        role: 'system',
        content: 'One.\n\nTwo.',
      });
    },
  );

  it('of Claude behind LiteLLM gets the tools in its history declared even when none are offered', async () => {
    const dialect = dialectOf('Claude behind LiteLLM');
    await using llm = await startStrictLlm(dialect, () => ({ text: 'Hi' }));
    const messages = [user, calling, result];
    expect(saidBy(await askLlm(llm, { messages, temperature: null }))).toBe('Hi');
    expect(llm.calls.at(-1)?.body).toMatchObject({
      tool_choice: 'none',
      tools: [{ function: { name: 'echo' } }],
    });
  });
});
