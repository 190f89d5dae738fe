import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fakeHit } from '#test/support/fake-hit.ts';
import { makeFolder, runCommand, startFakeService } from '#test/support/fake-service.ts';
import { asEvents, idsLine, packet, SESSION_ID, sessionLine } from '#test/support/stream-body.ts';

const hit = {
  ...fakeHit('docs/a.md', 'Jobs are tried again.'),
  semantic_identifier: 'Retries\u001b[31m',
  link: 'https://x.example/a',
};
const start = packet({ type: 'message_start', final_documents: [hit] });
const said = (content: string) => packet({ type: 'message_delta', content });
const stop = packet({ type: 'stop', stop_reason: null });
const begin = [sessionLine, idsLine];
const ASK = '/chat/send-chat-message';

/** Answers questions with these lines, and other paths from `others`. */
const answering =
  (lines: readonly unknown[], others: Record<string, unknown> = {}) =>
  ({ url }: { url: string }) =>
    url === ASK ? { text: asEvents(lines) } : { json: others[url.split('?')[0] ?? ''] ?? null };

describe('an answer', () => {
  test('is printed as it arrives, with the sources it cites', async () => {
    const text = [
      asEvents([idsLine]),
      ': keep-alive\n\n',
      asEvents(
        [
          { placement: { turn_index: 0 }, obj: { type: 'a_packet_of_the_future' } },
          start,
          said('They are tried '),
          packet({ type: 'citation_info', citation_number: 1, document_id: 'docs/a.md' }),
          said('again [[1]](https://x.example/a).\u0007'),
          stop,
        ],
        1,
      ),
    ].join('');
    await using service = await startFakeService(() => ({ text }));
    const run = await runCommand(['ask', 'What', 'happens?'], { url: service.url });
    expect(run.code).toBe(0);
    expect(run.stdout).toBe(
      'They are tried again [1].\n\nSources\n[1] Retries  https://x.example/a\n',
    );
    expect(run.stderr).toBe('');
    expect(service.requests[0]?.body).toEqual({ message: 'What happens?', stream: true });
  });

  test('is also read as bare JSON lines', async () => {
    const text = `${JSON.stringify(said('Yes.'))}\n${JSON.stringify(stop)}`;
    await using service = await startFakeService(() => ({ text }));
    const run = await runCommand(['ask', 'x', '--json'], { url: service.url });
    expect(JSON.parse(run.stdout)).toEqual({ answer: 'Yes.', sources: [] });
  });

  test('as JSON includes the ids and files, and prints nothing else', async () => {
    const made = packet({ type: 'python_tool_delta', stdout: '', stderr: '', file_ids: ['f1'] });
    await using service = await startFakeService(
      answering([...begin, made, start, said('Yes.'), stop]),
    );
    const run = await runCommand(['ask', 'x', '--json'], { url: service.url });
    expect(JSON.parse(run.stdout)).toEqual({
      answer: 'Yes.',
      sources: [],
      chat_session_id: SESSION_ID,
      message_id: 2,
      file_ids: ['f1'],
    });
    expect(run.stderr).toBe('');
  });

  test('names its session and the created files on stderr', async () => {
    const image = { file_id: 'f2', url: '/chat/file/f2', revised_prompt: 'a cat', shape: null };
    await using service = await startFakeService(
      answering([
        ...begin,
        packet({ type: 'image_generation_final', images: [image] }),
        start,
        said('Here.'),
        stop,
      ]),
    );
    const run = await runCommand(['ask', 'x'], { url: service.url });
    expect(run.stdout).toBe(`Here.\n\nFiles\n${service.url}/chat/file/f2\n`);
    expect(run.stderr).toContain(`Session ${SESSION_ID};`);
  });

  test('separates text before a tool from the answer, and shows reasoning on request', async () => {
    const lines = [
      ...begin,
      packet({ type: 'reasoning_start' }),
      packet({ type: 'reasoning_delta', reasoning: 'Hm\u001b[2J.' }),
      packet({ type: 'reasoning_done' }),
      start,
      said('Let me look.'),
      packet({ type: 'search_tool_queries_delta', queries: ['a'] }),
      start,
      said('Found.'),
      stop,
    ];
    await using service = await startFakeService(answering(lines));
    const run = await runCommand(['ask', 'x', '--reasoning'], { url: service.url });
    expect(run.stdout).toBe('Let me look.\n\nFound.\n');
    expect(run.stderr).toMatch(/^Hm\.\n\n/);
    expect(run.stderr).not.toContain('searching'); // no terminal
  });

  test.each([
    [
      'an error packet',
      packet({
        type: 'error',
        exception: 'model down',
        message: 'model down',
        error_code: 'API_ERROR',
        is_retryable: true,
        stack_trace: null,
        details: null,
      }),
      'The answer failed: model down',
    ],
    [
      'an error line',
      {
        error: 'model gone',
        stack_trace: null,
        error_code: 'API_ERROR',
        is_retryable: true,
        details: null,
      },
      'The answer failed: model gone',
    ],
    ['a stream that breaks off', null, 'The answer broke off before its end'],
  ])('exits with 1 on %s', async (_, end, sentence) => {
    const lines = [start, said('Half'), ...(end === null ? [] : [end])];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await using service = await startFakeService(() => ({ text }));
    const run = await runCommand(['ask', 'x'], { url: service.url });
    expect(run).toMatchObject({ code: 1, stdout: 'Half\n' });
    expect(run.stderr).toContain(sentence);
  });

  test('that is refused shows error_code and request_id, and offers no session', async () => {
    const json = { error_code: 'BAD_REQUEST', detail: 'No such model.', request_id: 'req-7' };
    await using service = await startFakeService(() => ({ status: 400, json }));
    for (const words of [['x'], ['x', '--session', SESSION_ID]]) {
      const run = await runCommand(['ask', ...words], { url: service.url });
      expect(run).toMatchObject({
        code: 1,
        stderr: 'error: No such model. (BAD_REQUEST, request req-7)\n',
      });
    }
  });

  test('from a busy service is awaited with a message', async () => {
    let calls = 0;
    await using service = await startFakeService(() => {
      calls += 1;
      const json = { error_code: 'RATE_LIMIT_EXCEEDED', detail: 'Too many.', request_id: 'r' };
      return calls === 1 ? { status: 429, json } : { text: asEvents([said('Yes.'), stop]) };
    });
    const run = await runCommand(['ask', 'x'], { url: service.url });
    expect(run).toMatchObject({ code: 0, stdout: 'Yes.\n', waits: [1000] });
    expect(run.stderr).toContain('Too many.');
  });
});

describe('the options of ask', () => {
  const agents = [
    { id: 0, name: 'Default' },
    { id: 7, name: 'Cook' },
    { id: 8, name: 'Twin' },
    { id: 9, name: 'twin' },
  ];
  const others = {
    '/persona': agents,
    '/chat/get-user-chat-sessions': { sessions: [{ id: SESSION_ID }], has_more: false },
  };
  const ask = async (...words: string[]) => {
    await using service = await startFakeService(answering([idsLine, said('.'), stop], others));
    const workingFolder = makeFolder();
    writeFileSync(join(workingFolder, 'notes.txt'), 'Be brief.');
    const run = await runCommand(['ask', 'q', ...words], { url: service.url, workingFolder });
    const asked = service.requests.find(({ url }) => url === ASK);
    return { ...run, body: asked?.body, requests: service.requests };
  };

  test.each<[string[], object]>([
    [['--session', 'abc'], { chat_session_id: 'abc' }],
    [['--agent', '7'], { chat_session_info: { persona_id: 7 } }],
    [
      ['--agent', 'cook', '--project', '3'],
      { chat_session_info: { persona_id: 7, project_id: 3 } },
    ],
    [
      ['--model', 'local/meta/x'],
      { llm_override: { model_provider: 'local', model_version: 'meta/x' } },
    ],
    [
      ['--model', 'x', '--temperature', '0.2'],
      { llm_override: { model_version: 'x', temperature: 0.2 } },
    ],
    [['--deep-research', '--no-citations'], { deep_research: true, include_citations: false }],
    [['--context', 'I am new.'], { additional_context: 'I am new.' }],
    [['--context', '@notes.txt'], { additional_context: 'Be brief.' }],
  ])('%j send %j', async (words, expected) => {
    const { code, body } = await ask(...words);
    expect(code).toBe(0);
    expect(body).toEqual({ message: 'q', stream: true, ...expected });
  });

  test('continue the latest session of any project, or of one', async () => {
    const any = await ask('--continue');
    expect(any.body).toMatchObject({ chat_session_id: SESSION_ID });
    expect(any.requests[0]?.url).toContain('only_non_project_chats=false');
    expect(any.stderr).toContain(`Session ${SESSION_ID};`);
    const ofProject = await ask('--continue', '--project', '3');
    expect(ofProject.requests[0]?.url).toContain('project_id=3');
    expect(ofProject.body).not.toHaveProperty('chat_session_info');
  });

  test.each([
    [['--session', 'a', '--continue'], 2, /exclude each other/],
    [['--session', 'a', '--agent', '1'], 2, /new sessions/],
    [['--continue', '--agent', '1'], 2, /new sessions/],
    [['--temperature', '3'], 2, /0 to 2/],
    [['--temperature', ''], 2, /0 to 2/],
    [['--project', 'x'], 2, /whole number/],
    [['--agent', 'nobody'], 1, /no agent named nobody.*Cook \(7\)/],
    [['--agent', 'twin'], 1, /Several agents/],
    [['--context', '@missing.txt'], 1, /missing\.txt cannot be read/],
    [['--file', 'missing.pdf'], 1, /no file missing\.pdf/],
  ])('%j exit with %i and an error, and ask nothing', async (words, code, says) => {
    const run = await ask(...words);
    expect(run.code).toBe(code);
    expect(run.stderr).toMatch(says);
    expect(run.body).toBeUndefined();
  });

  test('report --continue without a session', async () => {
    await using service = await startFakeService(() => ({
      json: { sessions: [], has_more: false },
    }));
    const run = await runCommand(['ask', 'q', '--continue'], { url: service.url });
    expect(run).toMatchObject({ code: 1 });
    expect(run.stderr).toContain('no session to continue');
  });
});
