import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Attempt,
  attemptsOn,
  type OwnedChatData,
  seedOwnedChatData,
} from '#test/support/owned-chat-data.ts';
import { type ChatStage, type ChatUser, startChatStage } from '#test/support/chat-stage.ts';
import { answersText, type ScriptedLlm, startScriptedLlm } from '#test/support/scripted-llm.ts';
import { dumpWorkspace } from '#test/support/dump-workspace.ts';
import { sendFiles } from '#test/support/upload-files.ts';
import { until } from '#test/support/until.ts';

const MARKER = 'wolverine';
/** Excluded: tables that change when others send requests or look at files. */
const NOT_THEIRS = /api_key|rate|usage|point|streak|award|activity/;
/** A file has two ids, each with its own paths. */
const BY_OTHER_ID = /by (?:its stored|the other) id$/;

let llm: ScriptedLlm;
let stage: ChatStage;
let owner: ChatUser;
let theirs: OwnedChatData;
/** An administrator of the same workspace and one of another workspace. */
let others: { name: string; user: ChatUser; own: OwnedChatData }[];

beforeAll(async () => {
  llm = await startScriptedLlm(answersText('An answer.'));
  stage = await startChatStage({ LLM_BASE_URL: llm.baseUrl, LLM_MODEL: 'scripted' });
  owner = await stage.openUser();
  theirs = await seedOwnedChatData(stage.millrace, owner, MARKER);
  const colleague = await owner.colleague('admin');
  const stranger = await stage.openUser();
  others = [
    {
      name: 'colleague',
      user: colleague,
      own: await seedOwnedChatData(stage.millrace, colleague, 'b'),
    },
    {
      name: 'stranger',
      user: stranger,
      own: await seedOwnedChatData(stage.millrace, stranger, 'c'),
    },
  ];
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
});

/** Everything the owner has, as stored in the database. */
async function ownedRowsOf(user: ChatUser): Promise<string[]> {
  const dump = await dumpWorkspace(stage.millrace.services.db, user.workspaceId);
  const rows = Object.entries(dump).filter(([table]) => !NOT_THEIRS.test(table));
  return rows.flatMap(([table, lines]) =>
    lines
      .filter((line) => line.includes(user.userId) || line.includes(MARKER))
      .map((line) => `${table} ${line}`),
  );
}

describe.each([0, 1])('what belongs to one user (%i)', (index) => {
  it('is neither shown to, used by nor changed by others', async () => {
    const other = others[index];
    if (!other) throw new Error('The stage has no such user.');
    const before = await ownedRowsOf(owner);
    expect(before.length).toBeGreaterThan(5);
    llm.calls.length = 0;
    const wrong: unknown[] = [];
    for (const [name, method, path, body] of attemptsOn(theirs, other.own)) {
      const { status, text } = await other.user.call(method, path, body);
      const isRefused = [400, 404].includes(status) && !text.includes(MARKER);
      if (!isRefused) wrong.push({ name, status, text });
    }
    expect(wrong, other.name).toEqual([]);
    // The content did not even reach a model.
    expect(JSON.stringify(llm.calls)).not.toContain(MARKER);
    expect(await ownedRowsOf(owner)).toEqual(before);
  });

  it('is missing from all lists of other users', async () => {
    const other = others[index];
    for (const path of [
      '/chat/get-user-chat-sessions',
      `/chat/search?query=${MARKER}`,
      '/chat/session',
      '/persona',
      '/user/projects',
      '/user/files/recent',
      '/tool',
    ]) {
      const answer = await other?.user.call('GET', path);
      expect(answer?.status, path).toBe(200);
      expect(answer?.text, path).not.toContain(MARKER);
    }
    const statuses = await other?.user.call('POST', '/user/projects/file/statuses', {
      file_ids: [theirs.userFileId, theirs.storedFileId],
    });
    expect([statuses?.status, statuses?.body]).toEqual([200, []]);
  });

  it('survives when another user deletes all sessions', async () => {
    const other = others[index];
    const before = await ownedRowsOf(owner);
    const { status } = (await other?.user.call('DELETE', '/chat/delete-all-chat-sessions')) ?? {};
    expect(status).toBe(200);
    expect(await ownedRowsOf(owner)).toEqual(before);
  });

  it('rejects uploads of other users into a project', async () => {
    const other = others[index];
    const { status } = await sendFiles(
      stage.millrace,
      '/user/projects/file/upload',
      [['notes.txt', 'Words.']],
      { key: other?.user.key ?? '', fields: { project_id: String(theirs.projectId) } },
    );
    expect(status).toBe(404);
  });

  it('is not described as an image in a document of another user', async () => {
    const other = others[index];
    const document = {
      id: `image-${index}`,
      semantic_identifier: 'An image',
      sections: [{ text: 'See the picture.', image_file_id: theirs.storedFileId }],
    };
    await other?.user.call('POST', '/service-api/ingestion', { document });
    await stage.millrace.settled(other?.user.key);
    const found = await other?.user.call('POST', '/search', { query: 'picture' });
    expect(found?.text).toContain('picture');
    expect(found?.text).not.toContain(MARKER);
  });
});

describe('the same requests', () => {
  it('succeed for the owner, so they were not refused for their form', async () => {
    const user = await stage.openUser();
    const own = await seedOwnedChatData(stage.millrace, user, 'd');
    const refused: unknown[] = [];
    for (const [name, method, path, body] of attemptsOn(own, own)) {
      if (method === 'DELETE' || BY_OTHER_ID.test(name)) continue;
      const { status, text } = await user.call(method, path, body);
      if (status !== 200) refused.push({ name, status, text });
    }
    expect(refused).toEqual([]);
  });
});

describe('a session', () => {
  it('that others try to write to at the same time stays its owner’s alone', async () => {
    const sessionId = await owner.createSession();
    const body = { message: 'Hello', stream: false, chat_session_id: sessionId };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => [
        owner.call('POST', '/chat/send-chat-message', body),
        ...others.map(({ user }) => user.call('POST', '/chat/send-chat-message', body)),
      ]).flat(),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toEqual(Array.from({ length: 10 }, () => [200, 404, 404]).flat());
    // Each question has its answer, and the tree has no loose ends.
    const rows = await stage.countRows('chat_message', `chat_session_id = '${sessionId}'`);
    expect(rows).toBe(1 + 20);
    const loose = await stage.countRows(
      'chat_message',
      `chat_session_id = '${sessionId}' and (finished_at is null or (parent_id is null) <> (role = 'system')
        or latest_child_id is not null and latest_child_id not in
          (select id from chat_message child where child.parent_id = chat_message.id))`,
    );
    expect(loose).toBe(0);
    const { body: shown } = await owner.call('GET', `/chat/get-chat-session/${sessionId}`);
    const types = shown.messages.map((one: { message_type: string }) => one.message_type);
    // How many messages the shown branch has depends on the order of arrival.
    expect(types.join(' ')).toMatch(/^system(?: user assistant)+$/);
  });

  it('that is deleted while its owner writes to it leaves no rows', async () => {
    const sessionId = await owner.createSession();
    const body = { message: 'Hello', stream: false, chat_session_id: sessionId };
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => owner.call('POST', '/chat/send-chat-message', body)),
      owner.call('DELETE', `/chat/session/${sessionId}`),
      ...Array.from({ length: 5 }, () => owner.call('POST', '/chat/send-chat-message', body)),
    ]);
    const wrong = answers.filter(({ status }) => ![200, 404].includes(status));
    expect(wrong.map(({ text }) => text)).toEqual([]);
    await until(async () => stage.millrace.services.answerRuns.size === 0);
    expect(await stage.countRows('chat_message', `chat_session_id = '${sessionId}'`)).toBe(0);
    expect(await stage.countRows('chat_run', `chat_session_id = '${sessionId}'`)).toBe(0);
  });
});

describe('invalid ids', () => {
  const NUMBERS = [-2, 0, 2_147_483_648, 9_007_199_254_740_992, 1.5, '1e3', '0x10', ' 1', '', true];
  const WORDS = ['x', '%00', '..%2F..', '00000000-0000-0000-0000-00000000000g', "'", '1'];

  it('are refused everywhere without a 5xx', async () => {
    const attempts: Attempt[] = [
      ...WORDS.flatMap((id) =>
        attemptsOn({ ...theirs, sessionId: id, userFileId: id, storedFileId: id }, theirs),
      ),
      ...NUMBERS.flatMap((id) =>
        attemptsOn(
          // Clients may send any value in place of a number.
          { ...theirs, answerId: id, questionId: id, projectId: id, agentId: id } as never,
          theirs,
        ),
      ),
    ];
    // Only the attempts that contain such an id.
    const known = new Set(attemptsOn(theirs, theirs).map((attempt) => JSON.stringify(attempt)));
    const odd = attempts.filter((attempt) => !known.has(JSON.stringify(attempt)));
    expect(odd.length).toBeGreaterThan(300);
    const broken: unknown[] = [];
    for (const [name, method, path, body] of odd) {
      const { status, text } = await owner.call(method, path, body);
      if (status >= 500) broken.push({ name, path, body, status, text });
    }
    expect(broken).toEqual([]);
  });
});
