import { expect, it } from 'vitest';
import { sql } from 'kysely';
import { startScrape } from '#src/leads/start-scrape.ts';
import { claimScrape } from '#src/leads/claim-scrape.ts';
import { saveSite } from '#src/leads/save-site.ts';
import { completeScrape } from '#src/leads/finish-scrape.ts';
import { cancelScrape, deleteScrape } from '#src/leads/scrapes.ts';
import { reconcileScrapes } from '#src/leads/reconcile-scrapes.ts';
import { sweepLeads } from '#src/leads/sweep-leads.ts';
import { eraseLeads } from '#src/leads/erase-leads.ts';
import { eraseMessages } from '#src/email/erase-messages.ts';
import { extendDoNotContact } from '#src/outreach/list-do-not-contact.ts';
import { openTestServices } from '#test/support/test-services.ts';
import { dailySent, deliver, insertAccount, submit } from '#test/support/email-rows.ts';
import { createFakeMailer, refuseIt, loseIt } from '#test/support/fake-mailer.ts';
import { silentDns } from '#test/support/email-stage.ts';
import { changeAccount } from '#src/email/change-account.ts';
import { setDefault } from '#src/email/set-default.ts';
import { deleteAccount } from '#src/email/delete-account.ts';
import { requestVerification } from '#src/email/request-verification.ts';
import { reconcileMessages } from '#src/email/reconcile-messages.ts';
import { sweepMessages } from '#src/email/sweep-messages.ts';
import { contactCard } from '#src/leads/extract/contact-card.ts';
import { mergeLeads } from '#src/leads/merge-leads.ts';
const signal = new AbortController().signal;
const tally: Record<string, number> = {};
const note = (who: string) => (e: any) => { const k = `${who}: ${e.code ?? ''} ${String(e.message).slice(0, 90).replaceAll(/[0-9a-f-]{36}/g, 'ID')}`; tally[k] = (tally[k] ?? 0) + 1; };
it('email storm', async () => {
  await using opened = await openTestServices({ DATABASE_POOL_SIZE: '20' } as any);
  const { workspaceId } = opened;
  const mailer = createFakeMailer();
  const services = { ...opened.services, mailer, dns: silentDns };
  const accounts = await Promise.all(Array.from({ length: 4 }, () => insertAccount(services, workspaceId, { daily_limit: 500 })));
  const { rows: [u] } = await sql<any>`select id from user_account limit 1`.execute(services.db);
  const ids: any[] = [];
  const pick = <T,>(a: T[]): T => a[Math.floor(Math.random() * a.length)]!;
  const end = performance.now() + 20_000;
  const loop = async (who: string, n: number, f: () => Promise<unknown>) => Promise.all(Array.from({ length: n }, async () => { while (performance.now() < end) { await f().catch(note(who)); await new Promise((r) => setTimeout(r, Math.random() * 15)); } }));
  await Promise.all([
    loop('submit', 4, async () => ids.push(await submit(services, pick(accounts), { to: `l${Math.floor(Math.random() * 50)}@firm.test` }))),
    loop('deliver', 4, async () => { const id = ids.length ? pick(ids.slice(-60)) : null; if (id) { if (Math.random() < 0.3) mailer.next.push(refuseIt(pick(['recipient_rejected', 'greylisted', 'server_busy'] as any))); if (Math.random() < 0.1) mailer.next.push(loseIt); await deliver(services, id); } }),
    loop('verify', 2, () => requestVerification(services, pick(accounts), { userId: u.id, recipient: `t@firm.test`, requestId: 'x' }).then((id) => ids.push(id))),
    loop('change', 2, async () => { const a = pick(accounts); await changeAccount(services, a, { smtp_password: 'x' + Math.random(), time_zone: pick(['UTC', 'Pacific/Kiritimati', 'Etc/GMT+12']) } as any, signal); await sql`update email_account set verified = true where id = ${a.id}`.execute(services.db); }),
    loop('default', 2, () => setDefault(services.db, pick(accounts))),
    loop('delete', 1, async () => { const i = Math.floor(Math.random() * 4); await deleteAccount(services.db, accounts[i]!); accounts[i] = await insertAccount(services, workspaceId, { daily_limit: 500 }); await new Promise((r) => setTimeout(r, 400)); }),
    loop('reconcile', 2, async () => { await sql`update email_message set queued_at = now() - interval '1 hour', created_at = now() - interval '1 hour', next_attempt_at = case when next_attempt_at is null then null else now() end where id in (select id from email_message where finished_at is null limit 50 for update skip locked)`.execute(services.db); await reconcileMessages(services); }),
    loop('erase', 2, () => services.db.transaction().execute(async (trx) => { await extendDoNotContact(trx, workspaceId, [{ kind: 'email', value: `z${Math.random()}@firm.test` }], { reason: 'erased' }); await eraseLeads(trx, workspaceId, { emails: [`l${Math.floor(Math.random() * 50)}@firm.test`], domains: [] }); await eraseMessages(trx, workspaceId, { emails: [`l${Math.floor(Math.random() * 50)}@firm.test`, `l1@firm.test`], domains: [] }); })),
    loop('sweep', 1, async () => { await sql`update email_message set finished_at = now() - interval '1000 days' where id in (select id from email_message where finished_at is not null limit 20 for update skip locked)`.execute(services.db); await sweepMessages(services, signal); }),
  ]);
  for (const a of accounts) {
    const { rows } = await sql<any>`select a.daily_sent, a.sent_on::text, (select count(*)::int from email_message m where m.email_account_id = a.id and m.counted_on = a.sent_on) as counted, (select count(*)::int from email_message m where m.email_account_id = a.id) as n, (select count(*)::int from email_message m where m.email_account_id = a.id and finished_at is null) as open from email_account a where id = ${a.id}`.execute(services.db);
    console.log(rows[0]);
  }
  const { rows: defaults } = await sql<any>`select count(*)::int as n from email_account where is_default`.execute(services.db);
  console.log(tally, ids.length, defaults);
}, 60_000);
it('scrape storm', async () => {
  for (const k of Object.keys(tally)) delete tally[k];
  await using opened = await openTestServices();
  const { services, workspaceId } = opened;
  const { rows: [u] } = await sql<any>`select id from user_account limit 1`.execute(services.db);
  const ids: any[] = [];
  const pick = <T,>(a: T[]): T => a[Math.floor(Math.random() * a.length)]!;
  const end = performance.now() + 20_000;
  const sv = { ...services, dns: silentDns };
  const loop = async (who: string, n: number, f: () => Promise<unknown>) => Promise.all(Array.from({ length: n }, async () => { while (performance.now() < end) { await f().catch(note(who)); await new Promise((r) => setTimeout(r, Math.random() * 15)); } }));
  const drafts = (k: number) => mergeLeads([{ url: `http://f${k}.example/`, canonicalUrl: '', title: 'Firm', siteName: 'Firm', language: 'en', links: [], needsRendering: false, cards: Array.from({ length: 6 }, (_, n) => contactCard({ technique: 'json-ld', kind: 'person', name: `Ada Xq${'abcdefgh'[n]}`, title: 'Boss', emails: [`l${n + k}@f${k}.example`] })) }], `f${k}.example`).map((d) => ({ ...d, confidence: 0.5, emailStatus: null }));
  await Promise.all([
    loop('start', 3, async () => ids.push(await startScrape(sv, { mode: 'scrape_url', query: `http://f${Math.random()}.example`, maxResults: 50, enrichment: ['email'] }, { workspaceId, userId: u.id, isFreshWanted: true, requestId: 'x' }))),
    loop('work', 5, async () => {
      const id = ids.length ? pick(ids.slice(-40)) : null; if (!id) return;
      const scrape = await claimScrape(sv.db, id); if (!scrape) return;
      await sql`insert into lead_scrape_site (lead_scrape_id, workspace_id, ordinal, url, domain) select ${id}, ${workspaceId}, n, 'http://f.example', 'f.example' from generate_series(0, 4) n on conflict do nothing`.execute(sv.db);
      await Promise.all([0, 1, 2, 3, 4].map((n) => saveSite(sv.db, scrape, { ordinal: n }, { leads: drafts(n), pages: 1, failure: null })));
      await completeScrape(sv, scrape, signal);
    }),
    loop('cancel', 1, async () => { if (ids.length) await cancelScrape(sv, { workspaceId, id: pick(ids.slice(-40)) }); }),
    loop('delete', 1, async () => { if (ids.length) await deleteScrape(sv.db, { workspaceId, id: pick(ids.slice(-40)) }); }),
    loop('reconcile', 2, async () => { await sql`update lead_scrape set queued_at = now() - interval '1 hour', created_at = now() - interval '1 hour' where id in (select id from lead_scrape where finished_at is null limit 30 for update skip locked)`.execute(sv.db); await reconcileScrapes(sv); }),
    loop('erase', 2, () => sv.db.transaction().execute(async (trx) => { await extendDoNotContact(trx, workspaceId, [{ kind: 'email', value: `z${Math.random()}@firm.test` }], { reason: 'erased' }); await eraseLeads(trx, workspaceId, { emails: [`l${Math.floor(Math.random() * 8)}@f1.example`], domains: ['f3.example'] }); })),
    loop('sweep', 1, async () => { await sql`update lead_scrape set finished_at = now() - interval '1000 days' where id in (select id from lead_scrape where finished_at is not null limit 5 for update skip locked)`.execute(sv.db); await sweepLeads(sv, signal); }),
  ]);
  console.log(tally, ids.length);
}, 60_000);
