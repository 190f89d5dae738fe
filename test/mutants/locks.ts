import type { Mutant } from './mutant.ts';

const claims = {
  tests: ['test/integration/platform/two-connections.test.ts'],
  needs: 'TEST_DATABASE_URL',
} as const;
const locks = {
  tests: ['test/integration/platform/two-connections-locks.test.ts'],
  needs: 'TEST_DATABASE_URL',
} as const;

/** The suite of a folder below `test/integration`. */
const suite = (folder: string) =>
  ({
    tests: [`test/integration/${folder}/two-connections.test.ts`],
    needs: 'TEST_DATABASE_URL',
  }) as const;

/** Faults that only two concurrent transactions reveal. */
export const lockMutants: readonly Mutant[] = [
  {
    fault: 'a worker waits for documents of another worker instead of claiming others',
    file: 'src/documents/claim-documents.ts',
    find: '        for update skip locked) first',
    replace: '        for update) first',
    ...claims,
  },
  {
    fault: 'releasing expired claims waits for a worker',
    file: 'src/documents/claim-documents.ts',
    find: "from document where status = 'indexing' ${whose === 'all' ? sql`` : LAPSED}\n      for update skip locked",
    replace:
      "from document where status = 'indexing' ${whose === 'all' ? sql`` : LAPSED}\n      for update",
    ...claims,
  },
  {
    fault: 'requeueing lost documents waits for a worker',
    file: 'src/documents/reconcile-documents.ts',
    find: 'limit ${MAX_DOCUMENTS_PER_JOB} for update skip locked',
    replace: 'limit ${MAX_DOCUMENTS_PER_JOB} for update',
    ...claims,
  },
  {
    fault: 'a document is selected for deletion before it is locked',
    file: 'src/documents/drop-documents.ts',
    find: 'order by d.workspace_id, d.external_id for update of d`.execute(trx);',
    replace: 'order by d.workspace_id, d.external_id`.execute(trx);',
    ...claims,
  },
  {
    fault: 'two workers claim the same run',
    file: 'src/connectors/runs/open-pair.ts',
    find: "${lock === 'lock' ? sql`for update of p` : sql``}",
    replace: '',
    ...claims,
  },
  {
    fault: 'a prune held by another worker is claimed',
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
    fault: 'a claim of deliveries waits for a locked one',
    file: 'src/webhooks/delivery-ledger.ts',
    find: 'limit wanted.room for update skip locked) d',
    replace: 'limit wanted.room for update) d',
    ...claims,
  },
  {
    fault: 'two workers claim the same scrape',
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
    fault: 'two concurrent sends bypass the Idempotency-Key',
    file: 'src/email/accounts.ts',
    find: 'return read(trx, address, sql`for no key update of a`);',
    replace: 'return read(trx, address, sql``);',
    ...claims,
  },
  {
    fault: 'a question does not wait while its session is being deleted',
    file: 'src/chat/turns/begin-turns.ts',
    find: 'order by session.id for update of session),',
    replace: 'order by session.id),',
    ...locks,
  },
  {
    fault: 'Stripe events are applied concurrently',
    file: 'src/billing/apply-stripe-event.ts',
    find: '    await sql`select pg_advisory_xact_lock(${STRIPE_LOCK})`.execute(trx);\n',
    replace: '',
    ...locks,
  },
  {
    fault: 'two prunes that begin at once take more places than their workspace has',
    file: 'src/connectors/runs/prune-turns.ts',
    find: "select pg_advisory_xact_lock(hashtextextended('prunes of ' || ${workspaceId}::text, 0))",
    replace: 'select ${workspaceId}::text',
    ...claims,
  },
  {
    fault: 'two concurrent awards lose points',
    file: 'src/points/ledger.ts',
    find: 'a.workspace_id = ${workspaceId} for update of a`',
    replace: 'a.workspace_id = ${workspaceId}`',
    ...locks,
  },
  {
    fault: 'two concurrent requests exceed the rate limit',
    file: 'migrations/0013-request-log.ts',
    find: "perform pg_advisory_xact_lock(hashtextextended('request_log ' || whose, 0));",
    replace: '',
    ...locks,
  },
  {
    fault: 'the rate limiter calls a function that does not exist, and counts nothing',
    file: 'src/api/open-request-log.ts',
    find: 'from take_request($1, $2)',
    replace: 'from take_requests($1, $2)',
    ...locks,
  },
  {
    fault: 'two processes starting at once each miss the key ring check of the other',
    file: 'src/encryption/assert-key-ring.ts',
    find: '    await sql`select pg_advisory_xact_lock(${KEY_RING_LOCK})`.execute(trx);\n',
    replace: '',
    ...locks,
  },
  {
    fault:
      'two concurrent invitations exceed the seats of the plan, two decisions about it overwrite each other',
    file: 'src/accounts/lock-workspace.ts',
    find: '    .forNoKeyUpdate()\n',
    replace: '',
    ...locks,
  },
  {
    fault: 'the mail sweep waits for a message that is being written',
    file: 'src/email/sweep-messages.ts',
    find: 'for update skip locked)',
    replace: 'for update)',
    ...claims,
  },
  {
    fault: 'an old text is written over the new text of an edit, and counts as new',
    file: 'src/documents/replace-chunks.ts',
    find: 'order by workspace_id, external_id for update`.execute(trx);',
    replace: 'order by workspace_id, external_id`.execute(trx);',
    ...suite('documents'),
  },
  {
    fault: 'a document that is sent again while it is being deleted is lost',
    file: 'src/documents/delete-documents.ts',
    find: '      order by workspace_id, external_id for update`.execute(trx);\n    await sql`delete from document d where id',
    replace:
      '      order by workspace_id, external_id`.execute(trx);\n    await sql`delete from document d where id',
    ...suite('documents'),
  },
  {
    fault: 'a prune deletes a document that a run has just seen, without having locked it',
    file: 'src/documents/drop-documents.ts',
    find: '    order by document_id for update`.execute(trx);',
    replace: '    order by document_id`.execute(trx);',
    ...suite('documents'),
  },
  {
    fault: 'two merges of the same postings count their chunks twice',
    file: 'src/documents/merge-postings.ts',
    find: 'where id = any(${[...ids, id]}::uuid[]) order by id for update`.execute(',
    replace: 'where id = any(${[...ids, id]}::uuid[]) order by id`.execute(',
    ...suite('documents'),
  },
  {
    fault: 'a worker writes a lead again that is being erased',
    file: 'src/leads/scrapes/erase-leads.ts',
    find: 'order by id for no key update`.execute(trx);',
    replace: 'order by id`.execute(trx);',
    ...suite('leads'),
  },
  {
    fault: 'the password of a bounce mailbox goes to a server that it was not entered for',
    file: 'src/email/administration/change-bounce-mailbox.ts',
    find: '    .forUpdate()\n',
    replace: '',
    ...suite('email'),
  },
  {
    fault: 'a file is deleted that is just being added to a project',
    file: 'src/chat/user-files/delete-user-file.ts',
    find: ".where('id', '=', id).forUpdate().execute();",
    replace: ".where('id', '=', id).execute();",
    ...suite('chat'),
  },
  {
    fault: 'a run succeeds whose documents have just failed',
    file: 'src/connectors/runs/finish-run.ts',
    find: "and status = 'in_progress'\n      for update`.execute(trx);",
    replace: "and status = 'in_progress'`.execute(trx);",
    ...suite('connectors/runs'),
  },
  {
    fault: 'an accepted invitation deadlocks with another one to the same address',
    file: 'src/accounts/people/accept-invitation.ts',
    find: '  const { plan_tier: plan } = await lockWorkspace(trx, open.workspace_id);\n  const { rows }',
    replace: '  const plan: PlanTier = "Enterprise";\n  const { rows }',
    ...suite('accounts'),
  },
];
