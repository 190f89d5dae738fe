// @module-tag database
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockUser } from '#src/accounts/lock-user.ts';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { newAgentSchema } from '#src/chat/agents/agent-request.ts';
import { deleteAgent } from '#src/chat/agents/agents.ts';
import { createAgent } from '#src/chat/agents/save-agent.ts';
import { createProject, lockProject } from '#src/chat/projects/projects.ts';
import { createSession } from '#src/chat/sessions/create-session.ts';
import { giveFeedback } from '#src/chat/sessions/feedback.ts';
import { showBranchOf } from '#src/chat/sessions/latest-message.ts';
import { moveSession } from '#src/chat/sessions/project-sessions.ts';
import { askTurn, beginTurns } from '#src/chat/turns/begin-turns.ts';
import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import { claimUserFile } from '#src/chat/user-files/claim-user-file.ts';
import { deleteUserFile } from '#src/chat/user-files/delete-user-file.ts';
import { addFileToProject } from '#src/chat/user-files/project-files.ts';
import { reconcileUserFiles } from '#src/chat/user-files/reconcile-user-files.ts';
import { beginUserUpload } from '#src/chat/user-files/upload-user-files.ts';
import type { UserFileId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { insertUserFile } from '#test/support/project-rows.ts';
import { afterWaiting, openImpatientServices, whileLocked } from '#test/support/two-connections.ts';

const databaseUrl = process.env['TEST_DATABASE_URL'];
const NEVER = new AbortController().signal;

describe.skipIf(databaseUrl === undefined)('two at once (needs TEST_DATABASE_URL)', () => {
  let stage: Awaited<ReturnType<typeof openImpatientServices>>;
  let services: Services;
  beforeAll(async () => {
    stage = await openImpatientServices();
    ({ services } = stage);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const newOwner = () => createWorkspace(services.db, { name: 'Of a test', planTier: 'Free' });
  const newProject = (owner: ChatOwner) =>
    createProject(services.db, owner, { name: 'Move', description: null, instructions: null });
  const newFile = async (owner: ChatOwner, status: 'COMPLETED' | 'PROCESSING' = 'COMPLETED') =>
    (await insertUserFile({ services }, owner, status)) as UserFileId; // inserted there

  it('an agent that is being deleted is not changed', async () => {
    const maker = await newOwner();
    const wanted = newAgentSchema.parse({ name: 'Helper' });
    const { id } = await createAgent(services.db, services.chatModels, maker, wanted);
    const again = afterWaiting(
      services.db,
      (trx) => sql`update agent set deleted_at = now() where id = ${id}`.execute(trx),
      () => deleteAgent(services.db, { ...maker, role: 'admin' }, id),
    );
    await expect(again).rejects.toThrow(/There is no agent/);
  });

  describe('a project', () => {
    it('takes the last place of its user, and a second one at once has none', async () => {
      const owner = await newOwner();
      const insert = (db: Services['db'], count: number) =>
        sql`insert into project (workspace_id, user_id, name)
          select ${owner.workspaceId}::uuid, ${owner.userId}::uuid, 'Another'
          from generate_series(1, ${count}::int)`.execute(db);
      await insert(services.db, 499);
      const second = afterWaiting(
        services.db,
        async (trx) => {
          await lockUser(trx, owner.userId);
          await insert(trx, 1);
        },
        () => newProject(owner),
      );
      await expect(second).rejects.toThrow(/You have 500 projects/);
    });

    it('takes a file once when it is added twice', async () => {
      const owner = await newOwner();
      const { id: projectId } = await newProject(owner);
      const fileId = await newFile(owner);
      const added = await afterWaiting(
        services.db,
        async (trx) => {
          await lockProject(trx, owner, projectId);
          await sql`insert into project_file (project_id, user_file_id)
            values (${projectId}, ${fileId})`.execute(trx);
        },
        () => addFileToProject(services.db, owner, { projectId, fileId }),
      );
      expect(added.id).toBe(fileId);
    });

    it('takes no file that is being deleted', async () => {
      const owner = await newOwner();
      const { id: projectId } = await newProject(owner);
      const fileId = await newFile(owner);
      const added = afterWaiting(
        services.db,
        (trx) => sql`delete from user_file where id = ${fileId}`.execute(trx),
        () => addFileToProject(services.db, owner, { projectId, fileId }),
      );
      await expect(added).rejects.toThrow(/There is no file/);
    });

    it('keeps a file that is being added when the file is deleted', async () => {
      const owner = await newOwner();
      const { id: projectId, name } = await newProject(owner);
      const fileId = await newFile(owner);
      const { projectNames } = await afterWaiting(
        services.db,
        (trx) =>
          sql`insert into project_file (project_id, user_file_id)
            values (${projectId}, ${fileId})`.execute(trx),
        () => deleteUserFile(services, owner, fileId),
      );
      expect(projectNames).toEqual([name]);
    });

    it('that becomes full takes no upload', async () => {
      const owner = await newOwner();
      const { id: projectId } = await newProject(owner);
      const upload = beginUserUpload(services, owner, NEVER);
      await upload.take({
        name: 'plan.txt',
        mediaType: 'text/plain',
        content: (async function* () {
          yield Buffer.from('The van comes at nine.');
        })(),
      });
      const finished = afterWaiting(
        services.db,
        async (trx) => {
          await lockProject(trx, owner, projectId);
          await sql`with stored as (
              insert into stored_file (id, workspace_id, name, media_type, byte_count)
              values (${randomUUID()}, ${owner.workspaceId}, 'plan.txt', 'text/plain', 4)
              returning id, workspace_id
            ), files as (
              insert into user_file (id, workspace_id, user_id, stored_file_id, name, media_type,
                chat_file_type)
              select gen_random_uuid(), workspace_id, ${owner.userId}, id, 'plan.txt', 'text/plain',
                'plain_text' from stored, generate_series(1, 1000)
              returning id
            )
            insert into project_file (project_id, user_file_id)
            select ${projectId}::int, id from files`.execute(trx);
        },
        () => upload.finish({ projectId, requestId: 'request-of-a-test' }),
      );
      await expect(finished).rejects.toThrow(/more than 1000 files/);
    });

    it('that is being deleted takes no upload and no conversation', async () => {
      const owner = await newOwner();
      const deleted = async (work: (projectId: number) => Promise<unknown>): Promise<unknown> => {
        const { id } = await newProject(owner);
        return afterWaiting(
          services.db,
          (trx) => sql`delete from project where id = ${id}`.execute(trx),
          () => work(id),
        );
      };
      const upload = beginUserUpload(services, owner, NEVER);
      await expect(
        deleted((projectId) => upload.finish({ projectId, requestId: 'request-of-a-test' })),
      ).rejects.toThrow(/There is no project/);
      const request = (projectId: number) => ({ agentId: 0, projectId, title: null });
      await expect(
        deleted((projectId) => createSession(services.db, owner, request(projectId), new Date())),
      ).rejects.toThrow(/you have no project/);
      const present = { agentId: 0, projectId: null, title: null };
      const session = await createSession(services.db, owner, present, new Date());
      await expect(
        deleted((projectId) => moveSession(services.db, owner, session, projectId)),
      ).rejects.toThrow(/There is no project/);
    });
  });

  describe('a file of a user', () => {
    it('is read by one of two workers', async () => {
      const id = await newFile(await newOwner(), 'PROCESSING');
      const second = await afterWaiting(
        services.db,
        (trx) => claimUserFile(trx, id, 2),
        () => claimUserFile(services.db, id, 2),
      );
      expect(second).toBeNull();
    });

    it('is sent again, except the one that is being written', async () => {
      await sql`delete from user_file`.execute(services.db);
      const owner = await newOwner();
      const [first] = [await newFile(owner, 'PROCESSING'), await newFile(owner, 'PROCESSING')];
      await sql`update user_file set queued_at = 'epoch'`.execute(services.db);
      const sent = await whileLocked(
        services.db,
        (trx) => sql`select 1 from user_file where id = ${first} for update`.execute(trx),
        () => reconcileUserFiles(services),
      );
      expect(sent).toBe(1);
    });
  });

  describe('a conversation', () => {
    /** A question with its unfinished answer. */
    async function ask(owner: ChatOwner) {
      const now = new Date();
      const request = { agentId: 0, projectId: null, title: null };
      const sessionId = await createSession(services.db, owner, request, now);
      const { rows } = await sql<{ id: number }>`
        select id from chat_message where chat_session_id = ${sessionId}`.execute(services.db);
      const place = { sessionId, parentId: rows[0]?.id ?? 0, answered: null, history: [] };
      const settings = { agentId: null, projectId: null };
      const turn = askTurn(owner, { place, settings, message: 'Why?', files: [], now });
      const [begun] = await beginTurns(services.db, [turn]);
      if (begun?.status !== 'fulfilled') throw new Error('The question was not asked.');
      return { sessionId, answerId: begun.value.assistantMessageId };
    }

    it('that is being deleted shows no other branch', async () => {
      const owner = await newOwner();
      const { sessionId, answerId } = await ask(owner);
      const shown = afterWaiting(
        services.db,
        (trx) =>
          sql`update chat_session set deleted_at = now() where id = ${sessionId}`.execute(trx),
        () => showBranchOf(services.db, owner, answerId),
      );
      await expect(shown).rejects.toThrow(/You have no chat message/);
    });

    it('that is being deleted takes no feedback', async () => {
      const owner = await newOwner();
      const { sessionId, answerId } = await ask(owner);
      const feedback = { isPositive: true, text: null, predefined: null };
      const given = afterWaiting(
        services.db,
        (trx) => sql`delete from chat_session where id = ${sessionId}`.execute(trx),
        () => giveFeedback(services.db, owner, answerId, { feedback, now: new Date() }),
      );
      await expect(given).rejects.toThrow(/You have no chat message/);
    });
  });
});
