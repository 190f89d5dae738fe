// @module-tag queues
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { claimPrune } from '#src/connectors/runs/claim-prune.ts';
import { claimRun } from '#src/connectors/runs/claim-run.ts';
import { lockPair } from '#src/connectors/runs/open-pair.ts';
import { hasPlace } from '#src/connectors/runs/prune-turns.ts';
import { requestPrune } from '#src/connectors/runs/request-prune.ts';
import { claimDocuments, takeBackClaims, takeDocuments } from '#src/documents/claim-documents.ts';
import { dropDocuments } from '#src/documents/drop-documents.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { createIndexTurns } from '#src/documents/index-turns.ts';
import { claimMessage } from '#src/email/claim-message.ts';
import { lockAccount } from '#src/email/accounts.ts';
import { sweepMessages } from '#src/email/sweep-messages.ts';
import type { CcPairId, DocumentId, UserId } from '#src/ids.ts';
import { claimScrape } from '#src/leads/scrapes/claim-scrape.ts';
import type { ScrapeOrder } from '#src/leads/scrapes/scrape-request.ts';
import { startScrape } from '#src/leads/scrapes/start-scrape.ts';
import { sendUnfinished } from '#src/documents/reconcile-documents.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { Services } from '#src/services.ts';
import { claimEndpoints } from '#src/webhooks/claim-endpoint.ts';
import { createDeliveryLedger } from '#src/webhooks/delivery-ledger.ts';
import { cancelDeliveries } from '#src/webhooks/disable-endpoint.ts';
import { insertAccount, NEVER, submit } from '#test/support/email-rows.ts';
import { silentDns } from '#test/support/email-stage.ts';
import { createFakeMailer } from '#test/support/fake-mailer.ts';
import { insertPair, ownerOf } from '#test/support/seed-workspace.ts';
import { insertLinkedPair } from '#test/support/test-services.ts';
import {
  queuedBehindLock,
  whileLocked,
  openImpatientServices,
  valuesOf,
} from '#test/support/two-connections.ts';
import { insertEndpoint, writePings } from '#test/support/webhook-rows.ts';

const databaseUrl = process.env['TEST_DATABASE_URL'];

describe.skipIf(databaseUrl === undefined)(
  'two connections at once (needs TEST_DATABASE_URL)',
  () => {
    let stage: Awaited<ReturnType<typeof openImpatientServices>>;
    let services: Services;
    beforeAll(async () => {
      stage = await openImpatientServices();
      services = { ...stage.services, mailer: createFakeMailer(), dns: silentDns };
    });
    afterAll(() => stage[Symbol.asyncDispose]());

    async function accept(id: string, ccPairId?: CcPairId): Promise<DocumentId> {
      const item = ingestionItemSchema.parse({
        document: { id, semantic_identifier: id, sections: [{ text: `Text of ${id}.` }] },
        ...(ccPairId === undefined ? {} : { cc_pair_id: ccPairId }),
      });
      const context = {
        workspaceId: stage.workspaceId,
        writer: null,
        requestId: null,
        maxBytes: 1_000_000,
      };
      await services.documentAcceptor.accept(toIncomingDocument(item, context));
      const { id: row } = await services.db
        .selectFrom('document')
        .select('id')
        .where('external_id', '=', id)
        .executeTakeFirstOrThrow();
      return row;
    }

    describe('documents', () => {
      beforeEach(async () => {
        await sql`delete from document`.execute(services.db);
      });

      const lanes = () => [{ workspace_id: stage.workspaceId, source: 'ingestion_api' }];
      const claimed = async (db: Services['db']): Promise<DocumentId[]> => {
        await using claim = await claimDocuments(db, lanes(), { mayBeLong: true });
        return claim.documents.map(({ id }) => id);
      };
      const claimedIn = async (trx: DatabaseTransaction): Promise<DocumentId[]> => {
        const { documents } = await takeDocuments(trx, randomUUID(), lanes(), { mayBeLong: true });
        return documents.map(({ id }) => id);
      };

      it('claimed by one worker are skipped by another, which takes the next', async () => {
        const first = await accept('first');
        let second: DocumentId | undefined;
        await whileLocked(services.db, claimedIn, async (held) => {
          expect(held).toEqual([first]);
          expect(await claimed(services.db)).toEqual([]);
          second = await accept('second');
          expect(await claimed(services.db)).toEqual([second]);
        });
        expect(await claimed(services.db)).toEqual([]);
      });

      it('are given to one of two index workers that take turns', async () => {
        const first = await accept('first');
        await whileLocked(services.db, claimedIn, async (held) => {
          expect(held).toEqual([first]);
          await using none = await createIndexTurns(services.db, 2).next();
          expect(none.documents).toEqual([]);
          const second = await accept('second');
          await using turn = await createIndexTurns(services.db, 2).next();
          expect(turn.documents.map(({ id }) => id)).toEqual([second]);
        });
      });

      const lockRow = (id: DocumentId) => (trx: Services['db']) =>
        sql`select 1 from document where id = ${id} for update`.execute(trx);

      it('of dead workers are taken back, except the one being written', async () => {
        const [first, second] = [await accept('first'), await accept('second')];
        await claimed(services.db);
        const taken = await whileLocked(services.db, lockRow(first), () =>
          takeBackClaims(services.db, 'all'),
        );
        expect(taken).toEqual([second]);
      });

      it('without a job are sent again, except the one being written', async () => {
        const [first] = [await accept('first'), await accept('second')];
        const sent = await whileLocked(services.db, lockRow(first), () =>
          sendUnfinished(services, NEVER, 0),
        );
        expect(sent).toBe(1);
      });

      it('stored by a run stay, although a prune chose them a moment earlier', async () => {
        const pair = (await insertPair(
          services.db,
          stage.workspaceId,
          'Pruned',
          await ownerOf(services.db, stage.workspaceId),
        )) as CcPairId;
        const id = await accept('seen', pair);
        await sql`update document_cc_pair set seen_at = now() - interval '1 day'`.execute(
          services.db,
        );
        const startedAt = new Date();
        const [dropped] = valuesOf(
          await queuedBehindLock(
            services.db,
            async (trx) => {
              await lockRow(id)(trx);
              await sql`update document_cc_pair set seen_at = now() + interval '1 minute'`.execute(
                trx,
              );
            },
            [
              () =>
                services.db
                  .transaction()
                  .execute((trx) => dropDocuments(trx, pair, [id], startedAt)),
            ],
          ),
        );
        expect(dropped).toEqual({ marked: [], left: 0 });
      });

      it('being added to another pair stay when the first pair loses them', async () => {
        const owner = await ownerOf(services.db, stage.workspaceId);
        const pairs: CcPairId[] = [];
        for (const name of ['One', 'Other'])
          pairs.push((await insertPair(services.db, stage.workspaceId, name, owner)) as CcPairId);
        const [one, other] = pairs;
        if (one === undefined || other === undefined) throw new Error('Two pairs must exist.');
        const id = await accept('shared', one);
        const [dropped] = valuesOf(
          await queuedBehindLock(
            services.db,
            async (trx) => {
              await lockRow(id)(trx);
              await sql`insert into document_cc_pair (document_id, cc_pair_id)
              values (${id}, ${other})`.execute(trx);
            },
            [() => services.db.transaction().execute((trx) => dropDocuments(trx, one, [id]))],
          ),
        );
        expect(dropped).toEqual({ marked: [], left: 1 });
      });
    });

    describe('a linked pair', () => {
      const newPair = () =>
        insertLinkedPair(
          { ...stage, waits: [], advance: () => undefined },
          { source: 'web', settings: { base_url: 'https://example.com/' }, credential: null },
        );

      it('whose run is due gives it to one of two workers', async () => {
        const pair = await newPair();
        const runs = valuesOf(
          await queuedBehindLock(services.db, (trx) => lockPair(trx, pair), [
            () => claimRun(services, pair),
            () => claimRun(services, pair),
          ]),
        );
        expect(runs.filter((run) => run !== null)).toHaveLength(1);
      });

      it('whose prune is requested gives it to one of two workers', async () => {
        const pair = await newPair();
        await sql`update cc_pair set status = 'ACTIVE', last_success_at = now() where id = ${pair}`.execute(
          services.db,
        );
        await requestPrune(services, {
          workspaceId: stage.workspaceId,
          ccPairId: pair,
          confirm: null,
          requestId: null,
        });
        const prunes = valuesOf(
          await queuedBehindLock(services.db, (trx) => lockPair(trx, pair), [
            () => claimPrune(services, pair),
            () => claimPrune(services, pair),
          ]),
        );
        expect(prunes.filter((prune) => prune !== null)).toHaveLength(1);
      });
    });

    it('two prunes of a workspace do not both take its last place', async () => {
      const { db } = services;
      const { workspaceId } = await createWorkspace(db, { name: 'Pruned', planTier: 'Free' });
      const config = { ...services.config, CONNECTOR_PRUNE_CONCURRENCY: 2 };
      const newPair = async (): Promise<CcPairId> => {
        const ccPairId = await insertLinkedPair(
          { ...stage, workspaceId, waits: [], advance: () => undefined },
          { source: 'web', settings: { base_url: 'https://example.com/' }, credential: null },
        );
        await requestPrune(services, { workspaceId, ccPairId, confirm: null, requestId: null });
        return ccPairId;
      };
      const pairs = [await newPair(), await newPair()];
      const prunes = valuesOf(
        await queuedBehindLock(
          db,
          (trx) => hasPlace(trx, config, workspaceId),
          pairs.map((pair) => () => claimPrune({ ...services, config }, pair)),
        ),
      );
      expect(prunes.filter((prune) => prune !== null)).toHaveLength(1);
    });

    describe('webhooks', () => {
      it('give an endpoint to one of two workers', async () => {
        const { id } = await insertEndpoint(services, stage.workspaceId, 'https://example.com/one');
        const [second] = valuesOf(
          await queuedBehindLock(services.db, (trx) => claimEndpoints(trx, [id]), [
            () => claimEndpoints(services.db, [id]),
          ]),
        );
        expect(second).toEqual([null]);
      });

      async function endpointWithTwo(): Promise<Awaited<ReturnType<typeof insertEndpoint>>['id']> {
        const url = `https://example.com/${randomUUID()}`;
        const { id } = await insertEndpoint(services, stage.workspaceId, url);
        await writePings(services, stage.workspaceId, id, 2);
        return id;
      }
      const lockFirst = (endpointId: string) => (trx: Services['db']) =>
        sql`select 1 from webhook_delivery where webhook_endpoint_id = ${endpointId}
        order by id limit 1 for update`.execute(trx);

      it('skip a locked delivery and send the next', async () => {
        const id = await endpointWithTwo();
        const [claim] = await claimEndpoints(services.db, [id]);
        const token = claim?.token ?? '';
        const claim2 = () =>
          createDeliveryLedger(services.db).claim({ endpointId: id, token, room: 10 });
        expect(await whileLocked(services.db, lockFirst(id), claim2)).toHaveLength(1);
        expect(await claim2()).toHaveLength(1);
      });

      it('do not wait for a locked delivery when its endpoint is disabled', async () => {
        const id = await endpointWithTwo();
        await sql`update webhook_endpoint set enabled = false where id = ${id}`.execute(
          services.db,
        );
        await whileLocked(services.db, lockFirst(id), () =>
          cancelDeliveries(services.db, id, 'It is disabled.'),
        );
        const { rows } = await sql<{ status: string }>`select status from webhook_delivery
        where webhook_endpoint_id = ${id} order by id`.execute(services.db);
        expect(rows.map(({ status }) => status)).toEqual(['pending', 'canceled']);
      });
    });

    describe('a scrape', () => {
      const order = (query: string): ScrapeOrder => ({
        mode: 'keyword_search',
        query,
        urls: null,
        maxResults: 10,
        enrichment: [],
      });
      async function start(query: string) {
        const userId = (await ownerOf(services.db, stage.workspaceId)) as UserId;
        const { workspaceId } = stage;
        const asker = { workspaceId, userId, isFreshWanted: false, requestId: 'request-of-a-test' };
        return startScrape(services, order(query), asker);
      }

      it('is given to one of two workers', async () => {
        const id = await start('plumbers');
        const [second] = valuesOf(
          await queuedBehindLock(services.db, (trx) => claimScrape(trx, id), [
            () => claimScrape(services.db, id),
          ]),
        );
        expect(second).toBeNull();
      });

      it('requested twice at once is created once', async () => {
        const ids = valuesOf(
          await queuedBehindLock(
            services.db,
            (trx) =>
              sql`select 1 from workspace where id = ${stage.workspaceId} for no key update`.execute(
                trx,
              ),
            [() => start('bakers'), () => start('bakers')],
          ),
        );
        expect(new Set(ids).size).toBe(1);
      });
    });

    describe('a message', () => {
      const newAccount = (dailyLimit: number) =>
        insertAccount(services, stage.workspaceId, { daily_limit: dailyLimit });
      beforeEach(async () => {
        await sql`delete from email_account`.execute(services.db);
        await sql`update workspace set plan_tier = 'Enterprise'`.execute(services.db);
      });

      it('is given to one of two workers', async () => {
        const id = await submit(services, await newAccount(10));
        const [second] = valuesOf(
          await queuedBehindLock(services.db, (trx) => claimMessage(trx, id), [
            () => claimMessage(services.db, id),
          ]),
        );
        expect(second).toBeNull();
      });

      it('sent twice at once with one Idempotency-Key is sent once', async () => {
        const account = await newAccount(10);
        const send = () => submit(services, account, { idempotencyKey: 'the-one' });
        const ids = valuesOf(
          await queuedBehindLock(services.db, (trx) => lockAccount(trx, account), [send, send]),
        );
        expect(new Set(ids).size).toBe(1);
      });

      it('takes the last place of a day, and a second one at once has none', async () => {
        const account = await newAccount(1);
        const send = () => submit(services, account);
        const sends = await queuedBehindLock(services.db, (trx) => lockAccount(trx, account), [
          send,
          send,
        ]);
        expect(sends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      });

      it('that is locked is skipped by the sweep', async () => {
        const account = await newAccount(10);
        const ids = [await submit(services, account), await submit(services, account)];
        await sql`update email_message set status = 'sent', finished_at = now() - interval '9 years'`.execute(
          services.db,
        );
        const swept = await whileLocked(
          services.db,
          (trx) => sql`select 1 from email_message where id = ${ids[0]} for update`.execute(trx),
          () => sweepMessages(services, NEVER),
        );
        expect(swept).toBe(1);
      });
    });
  },
);
