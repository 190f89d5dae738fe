// @module-tag database
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeConnectorFiles } from '#src/connectors/administration/connector-files.ts';
import { connectorRequestSchema } from '#src/connectors/administration/connector-request.ts';
import { deleteConnector, updateConnector } from '#src/connectors/administration/connectors.ts';
import {
  pausePair,
  resumePair,
  setFrequency,
} from '#src/connectors/administration/control-pair.ts';
import {
  createCredential,
  openCredential,
  updateCredential,
} from '#src/connectors/administration/credentials.ts';
import { deletePair } from '#src/connectors/administration/delete-pair.ts';
import { createDocumentSet } from '#src/connectors/administration/document-sets.ts';
import { lockPair, readPair } from '#src/connectors/runs/open-pair.ts';
import { requestRun } from '#src/connectors/runs/request-run.ts';
import type { StoredFile } from '#src/files/file-store.ts';
import type { CcPairId, StoredFileId, UserId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { Services } from '#src/services.ts';
import { NEVER } from '#test/support/email-rows.ts';
import { ownerOf } from '#test/support/seed-workspace.ts';
import { insertDocument } from '#test/support/insert-document.ts';
import { insertLinkedPair } from '#test/support/test-services.ts';
import { afterWaiting, openImpatientServices } from '#test/support/two-connections.ts';

const databaseUrl = process.env['TEST_DATABASE_URL'];
const WEB = { base_url: 'https://example.com/' };

describe.skipIf(databaseUrl === undefined)('two at once (needs TEST_DATABASE_URL)', () => {
  let stage: Awaited<ReturnType<typeof openImpatientServices>>;
  let services: Services;
  let userId: UserId;
  beforeAll(async () => {
    stage = await openImpatientServices();
    ({ services } = stage);
    userId = (await ownerOf(services.db, stage.workspaceId)) as UserId; // came from the database
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const newPair = (source = 'web', settings: Record<string, unknown> = WEB) =>
    insertLinkedPair(
      { ...stage, waits: [], advance: () => undefined },
      { source, settings, credential: null, refreshSeconds: 3_600 },
    );
  const connectorOf = async (pair: CcPairId): Promise<number> =>
    (await readPair(services.db, pair))?.connector_id ?? 0;
  const inPair = (ccPairId: CcPairId) => ({ workspaceId: stage.workspaceId, ccPairId });
  /** Another transaction has the pair and wants its connector next. */
  const wantsConnector = (id: number) => (trx: DatabaseTransaction) =>
    sql`select 1 from connector where id = ${id} for update nowait`.execute(trx);

  const statusOf = async (id: number): Promise<string | null> => {
    const { rows } = await sql<{ status: string }>`
      select status from document where id = ${id}`.execute(services.db);
    return rows[0]?.status ?? null;
  };

  describe('a pair that is being deleted', () => {
    const VERBS: Record<string, (pair: CcPairId) => Promise<unknown>> = {
      'is not paused': (pair) => pausePair(services, inPair(pair)),
      'is not resumed': (pair) => resumePair(services, inPair(pair), null),
      'does not run': (pair) =>
        requestRun(services, { ...inPair(pair), fromBeginning: true, requestId: null }),
    };

    it.each(Object.entries(VERBS))('%s', async (_, verb) => {
      const pair = await newPair();
      const tried = afterWaiting(
        services.db,
        (trx) => sql`update cc_pair set status = 'DELETING' where id = ${pair}`.execute(trx),
        () => verb(pair),
      );
      await expect(tried).rejects.toThrow(/being deleted/);
    });

    it('takes along the document that was attached at the end', async () => {
      const pair = await newPair();
      await sql`update cc_pair set status = 'DELETING' where id = ${pair}`.execute(services.db);
      let document = 0;
      await afterWaiting(
        services.db,
        async (trx) => {
          document = await insertDocument(trx, pair, 'accepted');
        },
        () => deletePair(services, pair, NEVER),
      );
      expect(await statusOf(document)).toBe('deleting');
    });

    it('is in no document set', async () => {
      const pair = await newPair();
      const made = afterWaiting(
        services.db,
        (trx) => sql`delete from cc_pair where id = ${pair}`.execute(trx),
        () =>
          createDocumentSet(services.db, stage.workspaceId, {
            name: randomUUID(),
            description: '',
            ccPairIds: [pair],
          }),
      );
      await expect(made).rejects.toThrow(/there is no pair/);
    });
  });

  describe('a connector', () => {
    const asked = (fields: Record<string, unknown>) =>
      connectorRequestSchema.parse({
        name: randomUUID(),
        source: 'web',
        input_type: 'poll',
        access_type: 'public',
        connector_specific_config: WEB,
        refresh_freq: 7_200,
        prune_freq: null,
        ...fields,
      });
    const change = (id: number, fields: Record<string, unknown> = {}) =>
      updateConnector(
        services.db,
        { workspaceId: stage.workspaceId, userId, id, now: new Date() },
        asked(fields),
      );
    const link = (id: number) => (trx: DatabaseTransaction) =>
      sql`insert into cc_pair (workspace_id, name, source, connector_id)
        values (${stage.workspaceId}, ${randomUUID()}, 'web', ${id})`.execute(trx);
    /** One without a pair. */
    async function newConnector(): Promise<number> {
      const pair = await newPair();
      const id = await connectorOf(pair);
      await sql`delete from cc_pair where id = ${pair}`.execute(services.db);
      return id;
    }

    it('that is being linked is not deleted', async () => {
      const id = await newConnector();
      const deleted = afterWaiting(services.db, link(id), () =>
        deleteConnector(services.db, stage.workspaceId, id),
      );
      await expect(deleted).rejects.toThrow(/has pairs/);
    });

    it('that is being linked does not become another kind', async () => {
      const id = await newConnector();
      const file = { file_locations: [randomUUID()] };
      const changed = afterWaiting(services.db, link(id), () =>
        change(id, { source: 'file', connector_specific_config: file }),
      );
      await expect(changed).rejects.toThrow(/cannot become another kind/);
    });

    const addFile = (connectorId: number, id = randomUUID()) =>
      changeConnectorFiles(
        services.db,
        { workspaceId: stage.workspaceId, connectorId },
        {
          // Only the id and the name are read.
          add: [{ id: id as StoredFileId, name: `${id}.txt` } as StoredFile],
          zipMetadataFileId: null,
          remove: [],
        },
      );
    const newFileConnector = async () =>
      connectorOf(await newPair('file', { file_locations: [randomUUID()] }));

    it('keeps a file that is added while another one is added', async () => {
      const id = await newFileConnector();
      const files = [randomUUID(), randomUUID()];
      const { ids } = await afterWaiting(
        services.db,
        (trx) =>
          sql`update connector set settings = ${JSON.stringify({ file_locations: files })}::json
            where id = ${id}`.execute(trx),
        () => addFile(id),
      );
      expect(ids.slice(0, 2)).toEqual(files);
    });

    const CHANGES: Record<string, (id: number, pair: CcPairId) => Promise<unknown>> = {
      'its settings': (id) => change(id),
      'its files': (id) => addFile(id),
      'its schedule': (_, pair) =>
        setFrequency(services, inPair(pair), {
          name: 'refresh_frequency',
          seconds: 7_200,
          requestId: 'request-of-a-test',
        }),
    };

    it.each(Object.entries(CHANGES))(
      'waits for its pair before it is locked itself: %s',
      async (name, verb) => {
        const pair = await (name === 'its files'
          ? newPair('file', { file_locations: [randomUUID()] })
          : newPair());
        const id = await connectorOf(pair);
        await afterWaiting(
          services.db,
          (trx) => lockPair(trx, pair),
          () => verb(id, pair),
          wantsConnector(id),
        );
      },
    );
  });

  it('a credential keeps both of two changes', async () => {
    const viewer = { workspaceId: stage.workspaceId, userId };
    const { id } = await createCredential(services, viewer, {
      name: null,
      source: 'tracker',
      json: { jira_api_token: 'old' },
      adminPublic: true,
      curatorPublic: false,
    });
    const changed = services.secrets.seal(
      JSON.stringify({ jira_api_token: 'new' }),
      `credential:${id}`,
    );
    const json = { jira_user_email: 'ann@example.com' };
    const merged = await afterWaiting(
      services.db,
      (trx) => sql`update credential set secret = ${changed} where id = ${id}`.execute(trx),
      () => updateCredential(services, viewer, id, { json, how: 'merge' }),
    );
    expect(openCredential(services.secrets, merged)).toEqual({ jira_api_token: 'new', ...json });
  });
});
