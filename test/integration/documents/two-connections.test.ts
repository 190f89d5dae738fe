// @module-tag database
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { retryChosen } from '#src/documents/change-documents.ts';
import { claimDocuments, releaseClaim } from '#src/documents/claim-documents.ts';
import { deleteMarkedDocuments } from '#src/documents/delete-documents.ts';
import { dropDocuments } from '#src/documents/drop-documents.ts';
import { reembedEverything } from '#src/documents/embedding-model.ts';
import { checkWords, gatherWords } from '#src/documents/gather-words.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { createIndexTurns } from '#src/documents/index-turns.ts';
import { markSeen } from '#src/documents/mark-seen.ts';
import { checkPostings, mergePostings } from '#src/documents/merge-postings.ts';
import { promoteVectors } from '#src/documents/promote-vectors.ts';
import { dropOlderSegments, renewTerms } from '#src/documents/renew-terms.ts';
import { renewTitles } from '#src/documents/renew-titles.ts';
import { retryDocument } from '#src/documents/retry-document.ts';
import { retryFailedDocuments } from '#src/documents/retry-failed-documents.ts';
import { dropTextsInChunks } from '#src/documents/texts-in-chunks.ts';
import { foldTermDeltas } from '#src/documents/term-counts.ts';
import { addWords, bucketOf } from '#src/documents/word-buckets.ts';
import type { CcPairId, DocumentId, UserId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { Services } from '#src/services.ts';
import { NEVER } from '#test/support/email-rows.ts';
import { insertPair, ownerOf } from '#test/support/seed-workspace.ts';
import { afterWaiting, openImpatientServices, whileLocked } from '#test/support/two-connections.ts';

const databaseUrl = process.env['TEST_DATABASE_URL'];
const now = <Done>(work: () => Promise<Done>): Promise<Done> => work();

describe.skipIf(databaseUrl === undefined)('two at once (needs TEST_DATABASE_URL)', () => {
  let stage: Awaited<ReturnType<typeof openImpatientServices>>;
  let services: Services;
  let db: Database;
  beforeAll(async () => {
    stage = await openImpatientServices();
    ({ services } = stage);
    ({ db } = services);
  });
  afterAll(() => stage[Symbol.asyncDispose]());
  beforeEach(async () => {
    await sql`truncate document, chunk, chunk_vector, chunk_planes, chunk_terms, posting_segment, posting_bucket,
      term_count, term_delta, word_bucket cascade`.execute(db);
  });
  afterEach(() => void vi.useRealTimers());

  async function accept(id: string, text = `Text of ${id}.`): Promise<DocumentId> {
    const item = ingestionItemSchema.parse({
      document: { id, semantic_identifier: id, sections: [{ text }] },
    });
    const { workspaceId } = stage;
    const context = { workspaceId, writer: null, requestId: null, maxBytes: 1_000_000 };
    await services.documentAcceptor.accept(toIncomingDocument(item, context));
    const row = await db
      .selectFrom('document')
      .select('id')
      .where('external_id', '=', id)
      .executeTakeFirstOrThrow();
    return row.id;
  }
  /** Two documents, each with postings of its own. */
  async function indexTwo(): Promise<[DocumentId, DocumentId]> {
    const [first, second] = [await index('first'), await index('second')];
    return [first, second];
  }
  async function index(name: string): Promise<DocumentId> {
    const id = await accept(name);
    await indexDocuments(services, [id], NEVER);
    return id;
  }
  const set = (ids: readonly DocumentId[], change: ReturnType<typeof sql>) => (on: Database) =>
    sql`update document set ${change} where id = any(${ids}::bigint[])`.execute(on);
  const lockDocument = (id: DocumentId) => (trx: Database) =>
    sql`select 1 from document where id = ${id} for update`.execute(trx);
  const textsOf = async (): Promise<string[]> => {
    const rows = await db.selectFrom('chunk').select('text').orderBy('id').execute();
    return rows.map(({ text }) => text);
  };
  const statusOf = async (id: DocumentId): Promise<string | undefined> => {
    const row = db.selectFrom('document').select('status').where('id', '=', id);
    return (await row.executeTakeFirst())?.status;
  };

  it('a text that is accepted while the one before leaves for its chunk is kept', async () => {
    const id = await index('edited');
    await accept('edited', 'A second text.');
    await afterWaiting(
      db,
      lockDocument(id),
      () => accept('edited', 'A third text.'),
      (trx) => dropTextsInChunks(trx, [id]),
    );
    await indexDocuments(services, [id], NEVER);
    expect(await textsOf()).toEqual(['A third text.']);
  });

  describe('a claim', () => {
    const claimBoth = () =>
      claimDocuments(db, [{ workspace_id: stage.workspaceId, source: 'ingestion_api' }], {
        mayBeLong: true,
      });

    it('is handed back in the order in which all lock documents', async () => {
      const [second, first] = [await accept('b'), await accept('a')];
      await using claim = await claimBoth();
      const handBack = async (trx: Database): Promise<void> => {
        // The planner may join in the order of ids at any time.
        await sql`set local enable_nestloop = off`.execute(trx);
        await sql`set local enable_hashjoin = off`.execute(trx);
        await releaseClaim(trx, claim, { delayMs: 0, reason: null, countsAttempt: false });
      };
      await afterWaiting(
        db,
        lockDocument(first),
        () => db.transaction().execute(handBack),
        (trx) => sql`select 1 from document where id = ${second} for update nowait`.execute(trx),
      );
      expect([await statusOf(first), await statusOf(second)]).toEqual(['accepted', 'accepted']);
    });

    it('is renewed, except for the document that is being written', async () => {
      const [first, second] = [await accept('first'), await accept('second')];
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      await using claim = await claimBoth();
      expect(claim.documents).toHaveLength(2);
      await set([first, second], sql`claimed_until = 'epoch'`)(db);
      const renewed = async (): Promise<DocumentId[]> => {
        const rows = db.selectFrom('document').select('id').where('claimed_until', '>', new Date());
        return (await rows.execute()).map(({ id }) => id);
      };
      await whileLocked(db, lockDocument(first), async () => {
        vi.advanceTimersByTime(5_000);
        vi.useRealTimers();
        await expect.poll(renewed).toEqual([second]);
      });
    });

    it('whose document is edited during the write leaves the new text alone', async () => {
      const id = await accept('edited', 'The old text about walnuts.');
      const embedding = Promise.withResolvers<void>();
      const written = Promise.withResolvers<void>();
      const slow: Services = {
        ...services,
        indexTurns: createIndexTurns(db, 2),
        embedder: {
          ...services.embedder,
          // Otherwise the threads make the vectors along with the chunks.
          isBuiltin: false,
          async embedDocuments(texts, signal) {
            embedding.resolve();
            await written.promise;
            return services.embedder.embedDocuments(texts, signal);
          },
        },
      };
      const indexing = indexDocuments(slow, [id], NEVER);
      await embedding.promise;
      const text = 'The new text about chestnuts.';
      const sections = JSON.stringify([{ text, link: null, image_file_id: null }]);
      await afterWaiting(
        db,
        set(
          [id],
          sql`revision = 2, status = 'accepted', claim_token = null, claimed_until = null,
            sections = ${sections}::json`,
        ),
        async () => {
          written.resolve();
          await indexing;
        },
      );
      expect(await textsOf()).toEqual([text]);
    });
  });

  describe('a document that is being deleted', () => {
    const sentAgain = (id: DocumentId) => set([id], sql`status = 'accepted'`);

    it('keeps its chunks when it is sent again meanwhile', async () => {
      const id = await index('first');
      await set([id], sql`status = 'deleting'`)(db);
      await afterWaiting(db, sentAgain(id), () => deleteMarkedDocuments(services, [id]));
      expect(await textsOf()).toHaveLength(1);
    });

    it('stays when it is sent again after its chunks are gone', async () => {
      const id = await index('first');
      await set([id], sql`status = 'deleting'`)(db);
      const emptied = Promise.withResolvers<void>();
      const accepted = Promise.withResolvers<void>();
      const deleting = deleteMarkedDocuments(
        {
          db,
          async inBackground(work) {
            const done = await work();
            emptied.resolve();
            await accepted.promise;
            return done;
          },
        },
        [id],
      );
      await emptied.promise;
      await afterWaiting(db, sentAgain(id), () => {
        accepted.resolve();
        return deleting;
      });
      expect(await statusOf(id)).toBe('accepted');
    });

    it('stays when its source shows it at the moment of a prune', async () => {
      const { workspaceId } = stage;
      const name = 'Pruned';
      const pair = (await insertPair(db, workspaceId, name, await owner())) as CcPairId;
      const id = await accept('seen');
      await sql`update document_cc_pair set cc_pair_id = ${pair},
        seen_at = now() - interval '1 day' where document_id = ${id}`.execute(db);
      const startedAt = new Date();
      const dropped = await afterWaiting(
        db,
        (trx) =>
          markSeen(
            trx,
            { id: pair, workspace_id: workspaceId },
            ['seen'],
            new Date(Date.now() + 60_000),
          ),
        () => db.transaction().execute((trx) => dropDocuments(trx, pair, [id], startedAt)),
      );
      expect(dropped).toEqual({ marked: [], left: 0 });
    });
  });

  const owner = () => ownerOf(db, stage.workspaceId);

  describe('a failed document', () => {
    const newWriter = async () => {
      const userId = (await owner()) as UserId; // came from the database
      return { workspaceId: stage.workspaceId, userId, role: 'admin' } as const;
    };

    it('that somebody else has just retried is not retried again', async () => {
      const id = await accept('failed');
      await set([id], sql`status = 'failed'`)(db);
      const writer = await newWriter();
      const again = afterWaiting(db, set([id], sql`status = 'indexing'`), () =>
        retryDocument(db, writer, 'failed'),
      );
      await expect(again).rejects.toThrow(/is indexing, not failed/);
    });

    it('that somebody else has just retried is not retried along with many', async () => {
      const id = await accept('failed');
      await set([id], sql`status = 'failed'`)(db);
      const writer = await newWriter();
      const retried = await afterWaiting(db, set([id], sql`status = 'indexing'`), () =>
        retryChosen(db, writer, { externalIds: ['failed'] }),
      );
      expect(retried).toEqual([]);
    });

    it('that somebody else is retrying is skipped', async () => {
      const ids = [await accept('first'), await accept('second')] as const;
      await set(ids, sql`status = 'failed'`)(db);
      const retried = await whileLocked(db, lockDocument(ids[0]), () =>
        retryFailedDocuments(services, ids, 'request-of-a-test'),
      );
      expect(retried).toBe(1);
    });
  });

  describe('what is done bit by bit skips the row that somebody else has:', () => {
    const lockFirst = (table: string, order: string) => (trx: Database) =>
      sql`select 1 from ${sql.table(table)} order by ${sql.ref(order)} limit 1 for update`.execute(
        trx,
      );

    it('folding counts', async () => {
      await index('first');
      const { rows } = await sql`select 1 from term_delta`.execute(db);
      const { folded } = await whileLocked(db, lockFirst('term_delta', 'bucket'), () =>
        foldTermDeltas(db, 1_000),
      );
      expect(folded).toBe(rows.length - 1);
    });

    it('promoting vectors', async () => {
      await indexTwo();
      await foldTermDeltas(db, 1_000);
      const sizes = { new: { busy: 1, idle: 1 }, mergedWhileBusy: 1_000 };
      const config = { ...services.config, VECTOR_PROMOTE_THRESHOLD: 1 };
      const promoted = await whileLocked(db, lockFirst('chunk_vector', 'chunk_id'), () =>
        promoteVectors({ ...services, config }, NEVER, sizes),
      );
      expect(promoted).toBe(1);
    });

    it('renewing terms', async () => {
      await indexTwo();
      await sql`update chunk_terms set terms_version = 0`.execute(db);
      const renewed = await whileLocked(db, lockFirst('chunk_terms', 'chunk_id'), () =>
        renewTerms(db),
      );
      expect(renewed).toBe(1);
    });

    it('renewing titles, because a newer title may be on its way', async () => {
      const [first] = await indexTwo();
      await sql`update document_title set terms_version = 0`.execute(db);
      expect(await whileLocked(db, lockDocument(first), () => renewTitles(db))).toBe(1);
    });

    it('dropping postings of older versions', async () => {
      const [, second] = await indexTwo();
      await sql`update posting_segment set terms_version = 0`.execute(db);
      await whileLocked(db, lockFirst('posting_segment', 'ctid'), () => dropOlderSegments(db));
      const renewed = await db
        .selectFrom('chunk_terms')
        .select('document_id')
        .where('terms_version', '=', 0)
        .execute();
      expect(renewed).toEqual([{ document_id: second }]);
    });

    it('checking postings', async () => {
      await indexTwo();
      await sql`update posting_segment set checked_at = now() - interval '1 day'`.execute(db);
      const check = () => checkPostings(db, now, NEVER);
      await whileLocked(db, lockFirst('posting_segment', 'checked_at'), async () => {
        expect([await check(), await check()]).toEqual([true, false]);
      });
    });

    it('checking words, which are added meanwhile', async () => {
      const { workspaceId } = stage;
      await sql`insert into word_bucket (workspace_id, bucket, words, checked_at)
        values (${workspaceId}, ${bucketOf('w', 6)}, '{walnut}', now() - interval '2 days'),
          (${workspaceId}, ${bucketOf('h', 5)}, '{hazel}', now() - interval '3 days')`.execute(db);
      const add = (trx: Parameters<typeof addWords>[0]) =>
        addWords(trx, workspaceId, new Set(['hedge']));
      await whileLocked(db, add, async () => {
        expect([await checkWords(db), await checkWords(db)]).toEqual([true, false]);
      });
      const { rows } = await sql`
        select words from word_bucket where cardinality(words) > 0`.execute(db);
      expect(rows).toEqual([{ words: ['hazel', 'hedge'] }]);
    });
  });

  it('the words of chunks are gathered by one of two', async () => {
    await index('first');
    const moved = sql`value = '{"until": 0, "horizon": 9, "xid": "0"}'`;
    const gathered = await afterWaiting(
      db,
      (trx) =>
        sql`update deployment_fact set ${moved} where name = 'compounds_gathered'`.execute(trx),
      () => gatherWords(db),
    );
    expect(gathered).toBe(0);
  });

  it('postings that somebody else has merged in part are not merged again', async () => {
    for (const name of ['first', 'second', 'third', 'fourth']) await index(name);
    const before = db.selectFrom('posting_segment').select('id').orderBy('id');
    const [gone, ...left] = await before.execute();
    await afterWaiting(
      db,
      (trx) => sql`delete from posting_segment where id = ${gone?.id}`.execute(trx),
      () => mergePostings(db, now, NEVER),
    );
    expect(await before.execute()).toEqual(left);
  });

  describe('embedding everything again', () => {
    const reembed = () => reembedEverything(db, services.embedder);

    it('waits for a process that starts', async () => {
      await afterWaiting(
        db,
        (trx) => sql`select pg_advisory_xact_lock(7202602)`.execute(trx),
        reembed,
      );
    });

    it('waits for a write to the index before it locks what that writes to next', async () => {
      const id = await accept('first');
      await afterWaiting(db, lockDocument(id), reembed, (trx) =>
        sql`lock table chunk in row exclusive mode nowait`.execute(trx),
      );
    });
  });
});
