import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import { migrateTestDatabase } from '#test/support/test-millrace.ts';
import { parseConfig } from '#src/platform/config.ts';
import { openDatabase } from '#src/platform/database.ts';
import { createLog } from '#src/platform/log.ts';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import { createDocumentAcceptor } from '#src/documents/accept-document.ts';
import { toIncomingDocument, ingestionItemSchema } from '#src/documents/incoming-document.ts';
import { claimDocuments } from '#src/documents/claim-documents.ts';
import { prepareDocument } from '#src/documents/prepare-document.ts';
import { embedText } from '#src/documents/embed-builtin.ts';
import { replaceChunks } from '#src/documents/replace-chunks.ts';
import { foldTermDeltas } from '#src/documents/term-counts.ts';
import { createDocuments } from './synthetic-documents.ts';
await using env = await openTestEnvironment();
await migrateTestDatabase(env.settings);
const config = parseConfig(env.settings);
const log = createLog('error');
const d = await openDatabase({ databaseUrl: config.DATABASE_URL ?? null, poolSize: 2, directory: null }, log);
const { workspaceId } = await ensureBootstrap(d.db, { bootstrapKey: 'x'.repeat(20) });
const N = 2048;
const items = createDocuments(N, Number(process.argv[2] ?? 4000)).map((i) => toIncomingDocument(ingestionItemSchema.parse(i), { workspaceId, requestId: 'r', maxBytes: 1e7 }));
const acceptor = createDocumentAcceptor(d.db, { enqueue: async () => {} } as never, { assertRoom: async () => {} } as never, log);
const variants: Record<string, string[]> = {
  now: [],
  again: [],
  'toast target': ['alter table chunk_terms set (toast_tuple_target = 8160)'],
  'pending 32MB': ['alter index chunk_terms_terms set (gin_pending_list_limit = 32768)'],
  'fastupdate off': ['alter index chunk_terms_terms set (fastupdate = off)'],
  'no gin': ['drop index chunk_terms_terms'],
  'no fk': ['alter table chunk drop constraint chunk_document_id_fkey'],
  'no delta index': ['drop index term_delta_term'],
};
await Promise.all(items.map((x) => acceptor.accept(x)));
const cache = new Map<number, ReturnType<typeof prepareDocument>>();
let first = true;
for (const [name, statements] of Object.entries(variants)) {
  for (const s of statements) await sql.raw(s).execute(d.db).catch((e) => console.log(String(e)));
  await sql.raw('truncate chunk, chunk_vector, chunk_terms, term_count, term_delta').execute(d.db);
  await sql.raw("update document set status = 'accepted', indexed_revision = null").execute(d.db);
  await sql.raw('vacuum analyze').execute(d.db);
  const { rows } = await sql<{ id: number }>`select id from document order by id`.execute(d.db);
  const ids = rows.map((r) => r.id) as never[];
  const pids = readFileSync('/proc/self/stat'); void pids;
  const pid = (await sql<{ p: number }>`select pg_backend_pid() as p`.execute(d.db)).rows[0]!.p;
  const cpu = () => { const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' '); return (Number(f[11]) + Number(f[12])) * 10; };
  let pg = 0, claimPg = 0, own = 0;
  const t = performance.now(); let prep = 0;
  for (let i = 0; i < N; i += 256) {
    const c1 = cpu();
    await using claim = await claimDocuments(d.db, ids.slice(i, i + 256));
    claimPg += cpu() - c1;
    const p0 = performance.now();
    const indexed = claim.documents.map((document) => {
      const p = cache.get(document.id) ?? prepareDocument({ workspaceId, title: document.title ?? document.semantic_identifier, sections: document.sections, metadata: document.metadata });
      cache.set(document.id, p);
      return { document, chunks: 'chunks' in p ? p.chunks.map((chunk) => ({ chunk, keptId: null, vector: ((chunk as any).v ??= embedText(chunk.indexedText, 1024)) })) : [] };
    });
    prep += performance.now() - p0;
    const c = cpu(); const o = process.cpuUsage();
    await replaceChunks(d.db, claim.token, indexed as never);
    const o2 = process.cpuUsage(o); own += (o2.user + o2.system) / 1000;
    pg += cpu() - c;
  }
  const c = cpu();
  while ((await foldTermDeltas(d.db, 5000)) === 5000);
  const fold = cpu() - c;
  if (!first) console.log(name.padEnd(26), 'ms per 1000: write pg', (pg / N * 1000).toFixed(0), 'own', (own / N * 1000).toFixed(0), 'claim pg', (claimPg / N * 1000).toFixed(0), 'fold pg', (fold / N * 1000).toFixed(0), 'wall', ((performance.now() - t - prep) / N * 1000).toFixed(0));
  first = false;
}
await d.close();
