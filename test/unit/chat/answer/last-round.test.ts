import { describe, expect, it } from 'vitest';

import { cutNote } from '#src/chat/steps/cut-note.ts';
import { callTool, fakeChatModel, finish, say, think } from '#test/support/fake-chat-model.ts';
import { echo, generated, MESSAGE, SEARCH, textOf } from '#test/support/generated-answer.ts';

const searches = callTool('internal_search', { queries: ['vpn'] });

describe('a model that still calls tools in its last round', () => {
  it('is told that none are left, and answers from what it has', async () => {
    const model = fakeChatModel((request, call) =>
      call === 6 ? [say('Portal [1].')] : [think('More.'), searches],
    );
    const answer = await generated({ model });
    expect(textOf(answer)).toBe('Portal [[1]](https://kb.example/vpn).');
    expect(model.requests).toHaveLength(7);
    const last = model.requests.at(-1);
    expect(last?.tools).toEqual([]);
    expect(last?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', toolCalls: [{ name: 'internal_search' }] },
      { role: 'tool', content: expect.stringContaining('no tools are left') },
    ]);
    const turns = new Set(answer.packets.map(({ placement }) => placement.turn_index));
    expect([...turns]).toEqual([...turns].map((_turn, index) => index));
  });

  it('again gets its passages quoted, with a sentence that says so', async () => {
    const model = fakeChatModel([searches]);
    const answer = await generated({ model });
    expect(textOf(answer)).toContain(
      '> Reset the VPN in the portal. [[1]](https://kb.example/vpn)',
    );
    expect(textOf(answer)).toMatch(/ended without an answer/);
    expect(answer.order.slice(-4)).toContain('T5.0 citation_info');
    expect(model.requests).toHaveLength(7);
  });

  it('and has no passages to quote fails with an empty response', async () => {
    const model = fakeChatModel([callTool('echo', { text: 'x' })]);
    await expect(generated({ model, tools: [echo] })).rejects.toMatchObject({
      errorCode: 'EMPTY_LLM_RESPONSE',
    });
  });

  it('although none were offered answers from the first search', async () => {
    const model = fakeChatModel(
      (_request, call) => (call === 0 ? [searches] : [say('Portal [1].')]),
      {
        callsTools: false,
      },
    );
    const { order, calls } = await generated({ model });
    expect(order.slice(0, 6)).toEqual([
      ...SEARCH(0),
      'T0.0 section_end',
      'T1.0 message_start',
      'T1.0 message_delta',
    ]);
    expect(calls).toHaveLength(1);
  });

  it('besides saying something has answered', async () => {
    const model = fakeChatModel((request) =>
      request.tools?.length ? [searches] : [say('Portal.'), searches],
    );
    expect(textOf(await generated({ model }))).toBe('Portal.');
    expect(model.requests).toHaveLength(6);
  });
});

describe('an answer cut off by the length limit', () => {
  it('says so after its last word', async () => {
    let cuts = 0;
    const model = fakeChatModel([say('The first of ma'), finish('length')]);
    const answer = await generated({ model, tools: [], onCut: () => (cuts += 1) });
    expect(answer.order).toEqual([...MESSAGE(0), 'T0.0 message_delta']);
    expect(textOf(answer)).toBe(`The first of ma${cutNote('')}`);
    expect(cuts).toBe(1);
  });

  it('fails when it consists only of reasoning', async () => {
    const model = fakeChatModel([think('Hm'), finish('length')]);
    await expect(generated({ model, tools: [] })).rejects.toMatchObject({
      errorCode: 'EMPTY_LLM_RESPONSE',
      message: expect.stringContaining('without an answer: it had used up its limit on length'),
    });
  });

  it.each([
    ['none', 'Plain.', ''],
    ['one left open', 'Code:\n```ts\nconst a = 1;', '\n```'],
    ['one that is closed', '```\na\n```\nEnd', ''],
    ['one of tildes with backticks inside', '~~~~\n```\na', '\n~~~~'],
    ['one with a longer closing fence', '```\na\n`````\nx', ''],
    ['inline code', 'Use ```a``` here', ''],
  ])('closes an open code block before the note: %s', (_name, text, closing) => {
    const note = cutNote(text);
    expect(note.startsWith(`${closing}\n\n_`)).toBe(true);
    expect(note.endsWith('_')).toBe(true);
  });
});
