import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const SUITE = '#test/support/two-connections.ts';

interface Lock {
  /** Statements that lock. */
  locks: number;
  protects: string;
  /** Where the suite reaches the file, if no test of it imports the file. */
  through?: string;
}

/** Every file that locks rows, tables or numbers, and what would happen without. */
const LOCKS: Readonly<Record<string, Lock>> = {
  'migrations/0013-request-log.ts': {
    locks: 1,
    protects: 'Two requests take the last place of a minute.',
    through: 'src/api/open-request-log.ts',
  },
  'src/accounts/account.ts': {
    locks: 1,
    protects: 'A time zone is changed twice in 24 hours.',
  },
  'src/accounts/ensure-bootstrap.ts': {
    locks: 1,
    protects: 'Two processes that start each make the first workspace.',
  },
  'src/accounts/lock-user.ts': {
    locks: 1,
    protects: 'Two requests exceed a limit of the user.',
  },
  'src/accounts/lock-workspace.ts': {
    locks: 1,
    protects: 'Two requests exceed a limit of the workspace, or decide about its plan.',
  },
  'src/accounts/members.ts': {
    locks: 1,
    protects: 'A person is deleted who is just being admitted to another workspace.',
  },
  'src/accounts/people/limit-attempts.ts': {
    locks: 1,
    protects: 'A sign-in waits for another one that tidies up.',
  },
  'src/accounts/people/sessions.ts': {
    locks: 1,
    protects: 'A sign-in waits for another one that tidies up.',
  },
  'src/billing/apply-stripe-event.ts': {
    locks: 1,
    protects: 'Two events about one subscription overwrite each other.',
  },
  'src/chat/agents/agents.ts': {
    locks: 1,
    protects: 'An agent is changed that was just deleted or made private.',
  },
  'src/chat/projects/projects.ts': {
    locks: 1,
    protects: 'A project takes a file twice, one too many, or one while it is being deleted.',
  },
  'src/chat/sessions/create-session.ts': {
    locks: 1,
    protects: 'A conversation begins in a project that is being deleted.',
  },
  'src/chat/sessions/feedback.ts': {
    locks: 1,
    protects: 'Feedback goes to a message that is being deleted.',
  },
  'src/chat/sessions/latest-message.ts': {
    locks: 1,
    protects: 'Messages are locked before their session, in the reverse order of a question.',
  },
  'src/chat/turns/begin-turns.ts': {
    locks: 1,
    protects: 'A question goes to a conversation that is being deleted.',
  },
  'src/chat/user-files/delete-user-file.ts': {
    locks: 1,
    protects: 'A file is deleted that is just being added to a project.',
  },
  'src/chat/user-files/project-files.ts': {
    locks: 1,
    protects: 'A file is added that is just being deleted.',
  },
  'src/chat/user-files/reconcile-user-files.ts': {
    locks: 1,
    protects: 'Sending lost jobs again waits for a worker.',
  },
  'src/connectors/administration/connector-files.ts': {
    locks: 1,
    protects: 'Of two files that are added, one is lost.',
  },
  'src/connectors/administration/connectors.ts': {
    locks: 2,
    protects: 'A connector is deleted, or becomes another kind, that is just being linked.',
  },
  'src/connectors/administration/credentials.ts': {
    locks: 1,
    protects: 'Of two changes to a credential, one is lost.',
  },
  'src/connectors/administration/delete-pair.ts': {
    locks: 1,
    protects: 'A document that was attached at the end stays without its pair.',
  },
  'src/connectors/administration/document-sets.ts': {
    locks: 1,
    protects: 'A set gets a pair that is being deleted.',
  },
  'src/connectors/administration/reschedule-pairs.ts': {
    locks: 1,
    protects: 'A connector is locked before its pairs, in the reverse order of a run.',
    through: 'src/connectors/administration/connectors.ts',
  },
  'src/connectors/runs/finish-run.ts': {
    locks: 1,
    protects: 'A run succeeds whose documents have just failed.',
  },
  'src/connectors/runs/open-pair.ts': {
    locks: 2,
    protects: 'Two workers have one run or prune, or a pair is locked after its run.',
  },
  'src/connectors/runs/prune-turns.ts': {
    locks: 1,
    protects: 'Two prunes take the last place of a workspace.',
  },
  'src/connectors/runs/reconcile-connectors.ts': {
    locks: 5,
    protects: 'Sending lost jobs again waits for a worker.',
  },
  'src/connectors/runs/retry-failed.ts': {
    locks: 1,
    protects: 'Trying failed documents again waits for a worker.',
  },
  'src/documents/change-documents.ts': {
    locks: 1,
    protects: 'Documents are taken away from the workers that index them.',
  },
  'src/documents/claim-documents.ts': {
    locks: 4,
    protects: 'Workers wait for each other, or deadlock when they hand documents back.',
  },
  'src/documents/delete-documents.ts': {
    locks: 2,
    protects: 'A document that is sent again while it is being deleted is lost.',
  },
  'src/documents/drop-documents.ts': {
    locks: 2,
    protects: 'A prune deletes a document that a run has just seen, or another pair has.',
  },
  'src/documents/embedding-model.ts': {
    locks: 3,
    protects: 'Two processes record different models, or a write deadlocks with re-embedding.',
  },
  'src/documents/gather-words.ts': {
    locks: 1,
    protects: 'A word is removed that is just being added.',
  },
  'src/documents/merge-postings.ts': {
    locks: 2,
    protects: 'Two merges of the same segments count their chunks twice.',
  },
  'src/documents/promote-vectors.ts': {
    locks: 1,
    protects: 'Promoting waits for a write.',
  },
  'src/documents/reconcile-documents.ts': {
    locks: 1,
    protects: 'Sending lost jobs again waits for a worker.',
  },
  'src/documents/renew-terms.ts': {
    locks: 2,
    protects: 'Two processes renew the same terms and count them twice.',
  },
  'src/documents/renew-titles.ts': {
    locks: 1,
    protects: 'Words of an old title overwrite those of a new one.',
  },
  'src/documents/replace-chunks.ts': {
    locks: 1,
    protects: 'An old text is written over a new one, and counts as new.',
    through: 'src/documents/index-documents.ts',
  },
  'src/documents/retry-document.ts': {
    locks: 1,
    protects: 'A document is taken away from the worker that indexes it.',
  },
  'src/documents/retry-failed-documents.ts': {
    locks: 1,
    protects: 'A document is retried twice.',
  },
  'src/documents/term-counts.ts': {
    locks: 1,
    protects: 'Two folds count the same changes.',
  },
  'src/documents/vector-index.ts': {
    locks: 1,
    protects: 'Two processes build the index.',
  },
  'src/email/accounts.ts': {
    locks: 1,
    protects: 'Two messages take the last place of a day, or one is sent twice.',
  },
  'src/email/administration/change-bounce-mailbox.ts': {
    locks: 1,
    protects: 'A password goes to a server that it was not entered for.',
  },
  'src/email/bounces/find-returned.ts': {
    locks: 2,
    protects: 'An address is listed that is being erased.',
    through: 'src/email/bounces/apply-return.ts',
  },
  'src/email/bounces/send-polls.ts': {
    locks: 1,
    protects: 'Sending lost jobs again waits for a worker.',
  },
  'src/email/reconcile-messages.ts': {
    locks: 1,
    protects: 'Sending lost jobs again waits for a worker.',
  },
  'src/email/record-outcome.ts': {
    locks: 1,
    protects: 'A message is locked before its account, in the reverse order of a deletion.',
  },
  'src/email/sweep-messages.ts': {
    locks: 1,
    protects: 'Deleting old messages waits for a worker.',
  },
  'src/encryption/assert-key-ring.ts': {
    locks: 1,
    protects: 'Two processes that start with different keys both pass.',
  },
  'src/encryption/reseal-values.ts': {
    locks: 1,
    protects: 'Resealing many values waits for one, and may deadlock.',
  },
  'src/leads/scrapes/claim-scrape.ts': {
    locks: 1,
    protects: 'A worker writes to a scrape that was just canceled.',
  },
  'src/leads/scrapes/erase-leads.ts': {
    locks: 1,
    protects: 'A worker writes a lead again that is being erased.',
  },
  'src/leads/scrapes/reconcile-scrapes.ts': {
    locks: 1,
    protects: 'Sending lost jobs again waits for a worker.',
  },
  'src/leads/scrapes/scrapes.ts': {
    locks: 1,
    protects: 'A scrape is canceled that has just been completed.',
  },
  'src/leads/scrapes/sweep-leads.ts': {
    locks: 1,
    protects: 'Deleting old scrapes waits for a worker.',
  },
  'src/outreach/unsubscribe-keys.ts': {
    locks: 1,
    protects: 'Two processes that start each make a key.',
  },
  'src/points/ledger.ts': {
    locks: 1,
    protects: 'Of two awards, one is lost.',
  },
  'src/webhooks/administration/endpoints.ts': {
    locks: 1,
    protects: 'An endpoint that was moved keeps the failures of the other URL.',
    through: 'src/webhooks/administration/change-endpoint.ts',
  },
  'src/webhooks/administration/resend-delivery.ts': {
    locks: 1,
    protects: 'Resending waits for the worker that is sending.',
  },
  'src/webhooks/delivery-ledger.ts': {
    locks: 1,
    protects: 'A worker waits for another one that has a delivery.',
  },
  'src/webhooks/disable-endpoint.ts': {
    locks: 1,
    protects: 'Disabling an endpoint waits for the worker that is sending.',
  },
  'src/webhooks/reconcile-webhooks.ts': {
    locks: 1,
    protects: 'Canceling what is left waits for the worker that is sending.',
  },
};

/** Files that lock by a function of another file and are not tested with two connections themselves. */
const UNTESTED: Readonly<Record<string, string>> = {
  'src/chat/custom-tools/mcp-servers.ts':
    'Locks as custom-tools.ts does, after a call to a server.',
  'src/chat/custom-tools/tool-rows.ts': 'A name for the lock that custom-tools.ts takes.',
  'src/connectors/administration/swap-credential.ts':
    'Locks as control-pair.ts does, after a call to the source.',
  'src/email/administration/create-account.ts': 'The suite makes its accounts with it.',
  'src/email/administration/request-send.ts': 'The suite sends its messages with it.',
};

const LOCKING =
  /\bfor (?:no key )?update\b|\bfor (?:key )?share\b|\bpg_(?:try_)?advisory_(?:xact_)?lock\b|\block table\b|\.for(?:NoKeyUpdate|Update|KeyShare|Share)\(/gi;
const CALLING = /(?<!function )\b(?:lock(?!Down)[A-Z]\w*|holdScrape|underBuildLock)\(|, 'lock'\)/g;

const FILES = globSync('{src,queues,workers,migrations}/**/*.ts', { cwd: ROOT }).map((file) => {
  const code = read(file).replaceAll(/\/\*.*?\*\/|\/\/.*?$/gms, '');
  return { file, locks: code.match(LOCKING)?.length ?? 0, calls: code.match(CALLING)?.length ?? 0 };
});
/** The files of the product that the suite imports. */
const TESTED = new Set(
  globSync('test/integration/**/*.test.ts', { cwd: ROOT })
    .map(read)
    .filter((text) => text.includes(SUITE))
    .flatMap((text) => Array.from(text.matchAll(/'#(src\/[^']+)'/g), ([, file = '']) => file)),
);

describe('locks', () => {
  it('are all listed, with what they protect', () => {
    const found = FILES.filter(({ locks }) => locks > 0).map(({ file, locks }) => [file, locks]);
    const listed = Object.entries(LOCKS).map(([file, { locks }]) => [file, locks]);
    expect(
      Object.fromEntries(found),
      'Hold two transactions open in a two-connections test, then list the lock here.',
    ).toEqual(Object.fromEntries(listed));
  });

  it('are all tested with two connections', () => {
    const untested = Object.entries(LOCKS)
      .filter(([file, { through = file }]) => !TESTED.has(through))
      .map(([file]) => file);
    expect(untested).toEqual([]);
  });

  it('are tested where a function of another file makes them', () => {
    const untested = FILES.filter(({ calls, locks }) => calls > 0 && locks === 0)
      .map(({ file }) => file)
      .filter((file) => !TESTED.has(file));
    expect(
      untested.toSorted(),
      'Add a two-connections test, or the file to UNTESTED with the reason.',
    ).toEqual(Object.keys(UNTESTED).toSorted());
  });
});

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
