import type { AttackValues } from './connector-attacks.ts';
import type { SeededWorkspace } from './seed-workspace.ts';

const AN_HOUR_MS = 3_600_000;

/** Requests of B that target A's scrapes, leads, sender accounts, messages and do-not-contact list. */
export function outreachAttacks(a: SeededWorkspace): AttackValues {
  const scrapeOfA = { scrape_id: a.scrapeId };
  const accountOfA = { id: a.emailAccountId };
  const bounceMailboxOfA = { id: a.bounceMailboxId };
  const cursor = Buffer.from(`${Date.now() + AN_HOUR_MS}000:${a.scrapeId}`).toString('base64url');
  const aimed = { workspace_id: a.workspaceId, id: a.emailAccountId };
  return {
    paths: {
      'GET /tools/lead-scraper/{scrape_id}': scrapeOfA,
      'GET /tools/lead-scraper/{scrape_id}/events': scrapeOfA,
      'POST /tools/lead-scraper/{scrape_id}/cancel': scrapeOfA,
      'DELETE /tools/lead-scraper/{scrape_id}': scrapeOfA,
      'DELETE /do-not-contact/{id}': { id: String(a.doNotContactId) },
      'GET /unsubscribe/{token}': { token: a.emailAccountId },
      'POST /unsubscribe/{token}': { token: a.emailAccountId },
      'GET /email-accounts/{id}': accountOfA,
      'PATCH /email-accounts/{id}': accountOfA,
      'DELETE /email-accounts/{id}': accountOfA,
      'POST /email-accounts/{id}/verify': accountOfA,
      'POST /email-accounts/{id}/set-default': accountOfA,
      'POST /email-accounts/{id}/send': accountOfA,
      'GET /email-accounts/{id}/verifications/{verification_id}': {
        ...accountOfA,
        verification_id: a.verificationId,
      },
      'GET /email-messages/{message_id}': { message_id: a.sentMessageId },
      'GET /bounce-mailboxes/{id}': bounceMailboxOfA,
      'PATCH /bounce-mailboxes/{id}': bounceMailboxOfA,
      'DELETE /bounce-mailboxes/{id}': bounceMailboxOfA,
      'POST /bounce-mailboxes/{id}/poll': bounceMailboxOfA,
      'POST /returned-mail/{token}': { token: a.bounceMailboxId },
    },
    queries: {
      'GET /tools/lead-scraper': ['', '?limit=200', '?status=completed', `?cursor=${cursor}`],
      'GET /do-not-contact': ['', '?limit=200', '?kind=email'],
      'GET /email-messages': ['', '?limit=200', `?email_account_id=${a.emailAccountId}`],
    },
    bodies: {
      'POST /tools/lead-scraper': [
        { mode: 'keyword_search', query: 'harbour', max_results: 5 },
        { mode: 'scrape_url', query: 'https://127.0.0.1/', scrape_id: a.scrapeId },
      ],
      'POST /do-not-contact': [{ ...aimed, emails: ['somebody@example.com'] }],
      'POST /privacy/erase': [
        // On B's own list they would rightly be shown to B.
        { emails: [a.leadEmail], domains: [a.leadEmail.split('@')[1]], do_not_contact: false },
      ],
      'POST /unsubscribe/{token}': [undefined],
      'POST /email-accounts': [
        {
          ...aimed,
          email: 'mine@example.com',
          smtp_host: '127.0.0.1',
          smtp_port: 587,
          smtp_user: 'mine',
          smtp_password: 'mine',
          from_name: 'Mine',
        },
      ],
      'POST /bounce-mailboxes': [
        { ...aimed, kind: 'webhook' },
        { kind: 'webhook', email_account_id: a.emailAccountId },
      ],
      'PATCH /bounce-mailboxes/{id}': [{ username: 'taken' }, { folder: 'Taken' }],
      'POST /returned-mail/{token}': [
        {
          reports: [
            {
              kind: 'complained',
              message_id: `${a.sentMessageId}@${a.marker}.test`,
              recipient: `to@${a.marker}.test`,
            },
          ],
        },
      ],
      'PATCH /email-accounts/{id}': [{ from_name: 'Taken' }, { daily_limit: 1 }],
      'POST /email-accounts/{id}/verify': [{ test_recipient: 'me@example.com' }],
      'POST /email-accounts/{id}/send': [
        { to: 'me@example.com', subject: 'Taken', text: 'From another account.' },
      ],
    },
    headers: { 'POST /email-accounts/{id}/send': { 'Idempotency-Key': `send-${a.marker}` } },
  };
}
