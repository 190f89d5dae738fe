import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assemble, type ChatStream, readChatBody } from '#test/support/chat-streams.ts';
import { addUser, openWorkspace, type TestUser } from '#test/support/test-users.ts';
import {
  callsTools,
  END_EVENTS,
  isShownTool,
  type LlmRequestBody,
  type LlmScript,
  type ScriptedLlm,
  startEvents,
  startLlm,
  textEvent,
  toolResults,
} from '#test/support/scripted-llm.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const WORKSPACES = 3;
const STREAMS_A_PERSON = 6;
const DELTAS = 12;
const MARKERS = /\b(?:ASK|DOC)[0-9a-f]{12}\b/g;

/** A user with a unique question, in a workspace whose documents contain a unique marker. */
interface Asker {
  person: TestUser;
  documentMarker: string;
  questions: [first: string, second: string];
  searches: boolean;
}

let llm: ScriptedLlm;
let millrace: TestMillrace;
let askers: Asker[];
let half = untilMany(1);

beforeAll(async () => {
  llm = await startLlm(echo);
  millrace = await startTestMillrace({ LLM_BASE_URL: llm.baseUrl, LLM_MODEL: 'scripted' });
  askers = (await Promise.all(Array.from({ length: WORKSPACES }, fillWorkspace))).flat();
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
});

async function fillWorkspace(): Promise<Asker[]> {
  const admin = await openWorkspace(millrace);
  const documentMarker = marker('DOC');
  // The same ids in every workspace, so that a cache or number keyed without the workspace shows up.
  for (const id of ['handbook', 'manual']) {
    await admin.call('POST', '/service-api/ingestion', {
      document: {
        id,
        semantic_identifier: `The ${id}`,
        sections: [
          {
            text: `The ${id}, a handbook of ${documentMarker}, says how.`,
            link: `https://kb.example/${documentMarker}/${id}`,
          },
        ],
        source: 'web',
        metadata: {},
      },
    });
  }
  await millrace.settled(admin.key);
  const people = [admin, await addUser(millrace, admin, 'read')];
  return people.flatMap((person) =>
    Array.from({ length: STREAMS_A_PERSON }, (_, n) => ({
      person,
      documentMarker,
      questions: [marker('ASK'), marker('ASK')] as [string, string],
      searches: n % 2 === 0,
    })),
  );
}

function marker(kind: 'ASK' | 'DOC'): string {
  return kind + randomBytes(6).toString('hex');
}

const markersIn = (text: string): string[] => [...new Set(text.match(MARKERS))].toSorted();

/**
 * Repeats every marker in the prompt, in many pieces. The second half waits until all answers have streamed their
 * first.
 */
function echo(body: LlmRequestBody): LlmScript {
  if (isShownTool(body, 'internal_search') && toolResults(body).length === 0) {
    return callsTools([{ name: 'internal_search', args: { queries: ['handbook'] } }]);
  }
  const said = `${markersIn(JSON.stringify(body.messages)).join(' ')} `;
  return async (response) => {
    startEvents(response);
    for (let n = 0; n < DELTAS; n += 1) {
      if (n === DELTAS / 2) await half.reached();
      response.write(textEvent(said));
    }
    response.end(textEvent(said.includes('DOC') ? 'End [1].' : 'End.') + END_EVENTS);
  };
}

/** Resolves for all callers once `count` of them have arrived. */
function untilMany(count: number): { reached: () => Promise<void> } {
  const all = Promise.withResolvers<void>();
  let come = 0;
  return {
    async reached() {
      come += 1;
      if (come === count) all.resolve();
      await all.promise;
    },
  };
}

/** Asks all questions at once; each answer stays open until the last one has begun. */
async function askAll(bodyOf: (asker: Asker, index: number) => object): Promise<ChatStream[]> {
  half = untilMany(askers.length);
  return Promise.all(
    askers.map(async (asker, index) => {
      const { status, text } = await asker.person.call('POST', '/chat/send-chat-message', {
        stream: true,
        ...(asker.searches ? {} : { allowed_tool_ids: [] }),
        ...bodyOf(asker, index),
      });
      return readChatBody(status, text);
    }),
  );
}

function idsOf({ lines }: ChatStream): { session: string; question: number; answer: number } {
  const session = lines.find((line) => 'chat_session_id' in line)?.chat_session_id ?? '';
  const ids = lines.find((line) => 'reserved_assistant_message_id' in line);
  return {
    session,
    question: ids?.user_message_id ?? 0,
    answer: ids?.reserved_assistant_message_id ?? 0,
  };
}

function expectedAnswer({ documentMarker, searches }: Asker, asked: readonly string[]): string {
  const seen = [...asked, ...(searches ? [documentMarker] : [])].toSorted();
  return `${`${seen.join(' ')} `.repeat(DELTAS)}End.`;
}

async function rowOf(id: number) {
  return millrace.services.db
    .selectFrom('chat_message as message')
    .innerJoin('chat_session as session', 'session.id', 'message.chat_session_id')
    .select([
      'message.content',
      'message.error',
      'message.parent_id',
      'message.chat_session_id',
      'message.workspace_id',
      'message.documents',
      'message.packets',
      'session.workspace_id as sessionWorkspaceId',
      'session.user_id as sessionUserId',
    ])
    .where('message.id', '=', id)
    .executeTakeFirstOrThrow();
}

/** Checks that the streamed answer equals the stored one and holds only this asker's markers. */
async function expectOwn(stream: ChatStream, asker: Asker, asked: readonly string[]) {
  const { person, documentMarker, searches } = asker;
  const { session, question, answer } = idsOf(stream);
  const own = [...asked, ...(searches ? [documentMarker] : [])].toSorted();
  expect(stream.status).toBe(200);
  expect(markersIn(stream.text)).toEqual(own);
  const { answer: text, answer_citationless } = assemble(stream);
  expect(answer_citationless).toBe(expectedAnswer(asker, asked));
  expect(text.includes(`[[1]](https://kb.example/${documentMarker}/`)).toBe(searches);
  expect(stream.packets.at(-1)?.obj).toEqual({ type: 'stop', stop_reason: null });
  const answered = await rowOf(answer);
  expect(answered).toMatchObject({
    content: text,
    error: null,
    parent_id: question,
    workspace_id: person.workspaceId,
    sessionWorkspaceId: person.workspaceId,
    sessionUserId: person.userId,
  });
  expect(markersIn(JSON.stringify(answered))).toEqual(own);
  expect(await rowOf(question)).toMatchObject({
    content: asked.at(-1),
    chat_session_id: answered.chat_session_id,
    workspace_id: person.workspaceId,
  });
  if (session !== '') expect(answered.chat_session_id).toBe(session);
  const resumed = await person.call(
    'GET',
    `/chat/chat-session/${answered.chat_session_id}/resume-stream`,
  );
  expect(resumed.text).toBe(stream.text);
}

describe('many concurrent answers', () => {
  it('hold only their own data: on the wire, in the rows and in the next turn', async () => {
    const first = await askAll(({ questions }) => ({ message: questions[0] }));
    for (const [index, asker] of askers.entries()) {
      await expectOwn(streamAt(first, index), asker, asker.questions.slice(0, 1));
    }
    const firstIds = first.map(idsOf);
    expect(new Set(firstIds.map(({ session }) => session)).size).toBe(askers.length);
    const second = await askAll(({ questions }, index) => ({
      message: questions[1],
      chat_session_id: firstIds[index]?.session,
    }));
    for (const [index, asker] of askers.entries()) {
      const stream = streamAt(second, index);
      await expectOwn(stream, asker, asker.questions);
      const { chat_session_id } = await rowOf(idsOf(stream).answer);
      expect(chat_session_id).toBe(firstIds[index]?.session);
    }
    const ids = [...firstIds, ...second.map(idsOf)].flatMap(({ question, answer }) => [
      question,
      answer,
    ]);
    expect(new Set(ids).size).toBe(4 * askers.length);
  });

  it('find only the documents of their workspace, whatever number a citation has', async () => {
    const streams = await askAll(({ questions }) => ({ message: questions[0] }));
    for (const [index, { searches, documentMarker }] of askers.entries()) {
      const found = streamAt(streams, index).packets.flatMap(({ obj }) =>
        obj.type === 'search_tool_documents_delta' ? obj.documents : [],
      );
      expect(found.map(({ document_id }) => document_id).toSorted()).toEqual(
        searches ? ['handbook', 'manual'] : [],
      );
      for (const { blurb } of found) expect(markersIn(blurb)).toEqual([documentMarker]);
    }
  });
});

function streamAt(streams: readonly ChatStream[], index: number): ChatStream {
  const stream = streams[index];
  if (!stream) throw new Error(`The answer has no stream ${index}.`);
  return stream;
}
