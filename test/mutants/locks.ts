import type { Mutant } from './mutant.ts';

const claims = {
  tests: ['test/integration/platform/two-connections.test.ts'],
  needs: 'TEST_DATABASE_URL',
} as const;
const locks = {
  tests: ['test/integration/platform/two-connections-locks.test.ts'],
  needs: 'TEST_DATABASE_URL',
} as const;

/** What only two transactions at once can show. */
export const lockMutants: readonly Mutant[] = [
  {
    fault: 'a worker waits for the documents of another instead of taking others',
    file: 'src/documents/claim-documents.ts',
    find: '        for update skip locked) first',
    replace: '        for update) first',
    ...claims,
  },
  {
    fault: 'taking back lapsed claims waits for a worker',
    file: 'src/documents/claim-documents.ts',
    find: "from document where status = 'indexing' ${whose === 'all' ? sql`` : LAPSED}\n      for update skip locked",
    replace:
      "from document where status = 'indexing' ${whose === 'all' ? sql`` : LAPSED}\n      for update",
    ...claims,
  },
  {
    fault: 'what sends lost documents again waits for a worker',
    file: 'src/documents/reconcile-documents.ts',
    find: 'limit ${MAX_DOCUMENTS_PER_JOB} for update skip locked',
    replace: 'limit ${MAX_DOCUMENTS_PER_JOB} for update',
    ...claims,
  },
  {
    fault: 'a document is chosen for deletion before the lock',
    file: 'src/documents/drop-documents.ts',
    find: 'order by d.workspace_id, d.external_id for update of d`.execute(trx);',
    replace: 'order by d.workspace_id, d.external_id`.execute(trx);',
    ...claims,
  },
  {
    fault: 'two workers have the same run',
    file: 'src/connectors/runs/open-pair.ts',
    find: "${lock === 'lock' ? sql`for update of p` : sql``}",
    replace: '',
    ...claims,
  },
  {
    fault: 'a prune that another worker holds is taken',
    file: 'src/connectors/runs/claim-prune.ts',
    find: 'where id = ${id} and (claimed_until is null or claimed_until < now())',
    replace: 'where id = ${id}',
    ...claims,
  },
  {
    fault: 'two workers deliver to one endpoint',
    file: 'src/webhooks/claim-endpoint.ts',
    find: 'and (claimed_until is null or claimed_until < now())',
    replace: '',
    ...claims,
  },
  {
    fault: 'a claim of deliveries waits for one that is locked',
    file: 'src/webhooks/delivery-ledger.ts',
    find: 'limit wanted.room for update skip locked) d',
    replace: 'limit wanted.room for update) d',
    ...claims,
  },
  {
    fault: 'two workers have the same scrape',
    file: 'src/leads/scrapes/claim-scrape.ts',
    find: '      and (claimed_until is null or claimed_until < now())\n',
    replace: '',
    ...claims,
  },
  {
    fault: 'two workers send the same message',
    file: 'src/email/claim-message.ts',
    find: "m.status = 'queued' and (m.next_attempt_at is null",
    replace: "m.status in ('queued', 'sending') and (m.next_attempt_at is null",
    ...claims,
  },
  {
    fault: 'two sends at once pass the Idempotency-Key',
    file: 'src/email/accounts.ts',
    find: 'return read(trx, address, sql`for no key update of a`);',
    replace: 'return read(trx, address, sql``);',
    ...claims,
  },
  {
    fault: 'a question waits for nothing while its session is being deleted',
    file: 'src/chat/turns/begin-turns.ts',
    find: 'order by session.id for update of session),',
    replace: 'order by session.id),',
    ...locks,
  },
  {
    fault: 'events of Stripe are applied at the same time',
    file: 'src/billing/apply-stripe-event.ts',
    find: '    await sql`select pg_advisory_xact_lock(${STRIPE_LOCK})`.execute(trx);\n',
    replace: '',
    ...locks,
  },
  {
    fault: 'two decisions about a plan overwrite each other',
    file: 'src/billing/settle-plan.ts',
    find: '    .forNoKeyUpdate()\n',
    replace: '',
    ...locks,
  },
  {
    fault: 'two awards at once lose points',
    file: 'src/points/ledger.ts',
    find: 'a.workspace_id = ${workspaceId} for update of a`',
    replace: 'a.workspace_id = ${workspaceId}`',
    ...locks,
  },
  {
    fault: 'two requests at once pass the rate limit',
    file: 'migrations/0013-request-log.ts',
    find: "perform pg_advisory_xact_lock(hashtextextended('request_log ' || whose, 0));",
    replace: '',
    ...locks,
  },
  {
    fault: 'the rate limit asks for a function that is not there, and counts nothing',
    file: 'src/api/open-request-log.ts',
    find: 'from take_request($1, $2)',
    replace: 'from take_requests($1, $2)',
    ...locks,
  },
  {
    fault: 'two processes that start at once check the key ring past each other',
    file: 'src/encryption/assert-key-ring.ts',
    find: '    await sql`select pg_advisory_xact_lock(${KEY_RING_LOCK})`.execute(trx);\n',
    replace: '',
    ...locks,
  },
  {
    fault: 'two invitations at once pass the seats of the plan',
    file: 'src/accounts/members.ts',
    find: '    .forNoKeyUpdate()\n',
    replace: '',
    ...locks,
  },
  {
    fault: 'the sweep of mail waits for a message that is being written',
    file: 'src/email/sweep-messages.ts',
    find: 'for update skip locked)',
    replace: 'for update)',
    ...claims,
  },
];
