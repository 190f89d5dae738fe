// @module-tag processes
// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceProcess } from '#test/support/child-process.ts';
import { searchDatabase } from '#test/support/search-database.ts';
import {
  answerError,
  answersText,
  callsTools,
  errorEvent,
  lastQuestion,
  type LlmRequestBody,
  type LlmScript,
  plays,
  type ScriptedLlm,
  startLlm,
  textEvent,
  toolResults,
} from '#test/support/scripted-llm.ts';
import { openTestProcesses, type TestProcesses } from '#test/support/test-processes.ts';
import { untilRecovered } from '#test/support/until.ts';

const { TEST_DATABASE_URL: databaseUrl } = process.env;

/** Words that no log may contain, each used in a different place. */
const WORDS = {
  message: 'OSPREYMESSAGE',
  context: 'OSPREYCONTEXT',
  header: 'OSPREYHEADER',
  modelKey: 'KITTIWAKEMODELKEY',
  document: 'OSPREYDOCUMENT',
  answer: 'OSPREYANSWER',
  arguments: 'OSPREYARGUMENTS',
  instructions: 'OSPREYINSTRUCTIONS',
  title: 'OSPREYTITLE',
} as const;
/** Short, and between quotes and line breaks, as people write. */
const CONTEXT = `"\n${WORDS.context}\n"`;

let llm: ScriptedLlm;
let script: (body: LlmRequestBody) => LlmScript;
let processes: TestProcesses;
let api: ServiceProcess;
let agentId: number;

const call = (path: string, body: unknown) => processes.client.call('POST', path, body);
const ask = (more: object = {}) =>
  call('/chat/send-chat-message', {
    message: `Where does the ${WORDS.message} live?`,
    additional_context: CONTEXT,
    mcp_headers: { 'x-token': WORDS.header },
    chat_session_info: { persona_id: agentId },
    ...more,
  });

/** Everything that a provider may echo of its input: in JSON, and in JSON nested in JSON. */
const echo = (body: LlmRequestBody): string =>
  `cannot read ${JSON.stringify(body)} nor ${JSON.stringify(JSON.stringify(body))} with key ${WORDS.modelKey}`;

const FAILURES: [string, (body: LlmRequestBody) => LlmScript][] = [
  ['answers 500 and repeats all of it', (body) => answerError(500, echo(body))],
  ['answers 400 and repeats the end of it', (body) => answerError(400, echo(body).slice(-900))],
  [
    'answers 400 and repeats the last message',
    (body) => answerError(400, `bad: ${JSON.stringify(lastQuestion(body)).slice(-200)}`),
  ],
  ['answers 401 and repeats the key', () => answerError(401, `no such key ${WORDS.modelKey}`)],
  [
    'breaks off with an error',
    (body) => plays(textEvent('So'), errorEvent(echo(body).slice(-250))),
  ],
  [
    'sends what is no JSON',
    (body) => plays(textEvent('So'), `data: {"${lastQuestion(body).slice(-80)}\n\n`),
  ],
  [
    'answers 401 and its words are cut in the middle of the key',
    () => answerError(401, `${'.'.repeat(295)}${WORDS.modelKey}`),
  ],
  ['hangs up', () => (response) => void response.destroy()],
];

describe.skipIf(databaseUrl === undefined)('the service (needs TEST_DATABASE_URL)', () => {
  beforeAll(async () => {
    llm = await startLlm((body) => script(body));
    script = () => answersText(`The ${WORDS.answer}.`);
    processes = await openTestProcesses(() => ({
      LLM_BASE_URL: llm.baseUrl,
      LLM_MODEL: 'scripted',
      LLM_API_KEY: WORDS.modelKey,
      RATE_LIMIT_PER_MINUTE: '100000',
    }));
    api = await processes.startApi({ logLevel: 'trace', keptLines: 1_000_000 });
    const workers = await processes.startWorkers();
    await call('/service-api/ingestion', {
      document: {
        id: 'd',
        semantic_identifier: WORDS.title,
        sections: [{ text: `The ${WORDS.message} lives in the ${WORDS.document}.` }],
      },
    });
    await processes.settled(30_000);
    await workers.kill();
    const agent = { name: 'A', description: '', system_prompt: WORDS.instructions };
    agentId = (await call('/persona', agent)).body.id;
  });
  afterAll(async () => {
    await processes?.[Symbol.asyncDispose]();
    await llm?.[Symbol.asyncDispose]();
  });

  const expectSilence = (): void => {
    expect(api.lines.length).toBeGreaterThan(1);
    const said = api.lines.join('\n');
    const told = [...Object.values(WORDS), processes.service.key].filter((word) =>
      said.includes(word),
    );
    expect(
      told,
      api.lines.findLast((line) => told.some((word) => line.includes(word))),
    ).toEqual([]);
  };

  it('logs nothing of a message and its answer', async () => {
    script = (body) =>
      toolResults(body).length === 0
        ? callsTools([{ name: 'internal_search', args: { queries: [WORDS.arguments] } }])
        : answersText(`The ${WORDS.answer} [1].`);
    for (const stream of [true, false]) expect((await ask({ stream })).status).toBe(200);
    expectSilence();
  });

  it('logs nothing of a refused message', async () => {
    const refused = [
      await ask({ message: [WORDS.message] }),
      await ask({ mcp_headers: { 'x-token': [WORDS.header] } }),
      await ask({ search_filters: { tags: WORDS.message, source_type: [WORDS.message] } }),
      await ask({ llm_override: { model_version: WORDS.message } }),
      await ask({ additional_context: { a: WORDS.context } }),
      await call('/chat/send-chat-message', `{"message": "${WORDS.message}`),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400));
    expectSilence();
  });

  it.each(FAILURES)(
    'logs nothing when the model %s, and the error reveals neither context nor key',
    async (_, fail) => {
      script = fail;
      const { status, body, text } = await ask({ stream: false, allowed_tool_ids: [1] });
      expect(status).toBe(200);
      expect(body.error_msg).toBeTruthy();
      expect(text).not.toContain(WORDS.modelKey.slice(0, 5));
      expect(text).not.toContain(WORDS.context);
      expect(text).not.toMatch(/\bat .*\.ts:\d|node_modules/);
      expectSilence();
    },
  );

  it('logs nothing when the database refuses a write', async () => {
    const { db } = processes;
    script = () => answersText(`The ${WORDS.answer}.`);
    // Database errors contain the refused row.
    await sql`alter table chat_message add constraint odd check (content not like '%OSPREYANSWER%') not valid`.execute(
      db,
    );
    await sql`alter table chat_run_part add constraint odd check (lines::text not like '%OSPREYANSWER%') not valid`.execute(
      db,
    );
    const { text } = await ask({ stream: true });
    expect(text).toContain('"error"');
    expect(text).not.toContain('Failing row');
    for (const sign of ['could not be kept', 'answer failed'])
      await untilRecovered(async () => api.lines.some((line) => line.includes(sign)));
    await sql`alter table chat_message drop constraint odd`.execute(db);
    await sql`alter table chat_run_part drop constraint odd`.execute(db);
    expectSilence();
  });

  it('never stores the additional context of a message', async () => {
    expect(await searchDatabase(processes.db, WORDS.message)).toContain('chat_message');
    expect(await searchDatabase(processes.db, WORDS.context)).toEqual([]);
    expect(await searchDatabase(processes.db, WORDS.header)).toEqual([]);
    expect(await searchDatabase(processes.db, WORDS.modelKey)).toEqual([]);
  });
});
