import { z } from 'zod';
import { type AddCommand, type CommandContext, printJson, wholeNumber } from './command-context.ts';
import { CommandFailure } from './exit.ts';
import { formatCount, formatList, plainLine } from './terminal.ts';

const LIST = '/do-not-contact';
/** Entries per request. */
const BATCH = 1_000;
const PAGE = 200;
const MAX_ENTRIES = 200_000;

const entrySchema = z.looseObject({
  id: z.number(),
  kind: z.string(),
  value: z.string(),
  reason: z.string(),
  note: z.string(),
  created_at: z.string(),
});
const addedSchema = z.object({ do_not_contact: z.array(entrySchema) });
const pageSchema = addedSchema.extend({ next_cursor: z.string().nullable() });
type Entry = z.output<typeof entrySchema>;

/** `millrace do-not-contact`: who is left out of leads and sent no messages. */
export const addDoNotContactCommand: AddCommand = (program, context) => {
  const command = program
    .command('do-not-contact')
    .summary('list, add and remove who is not to be contacted')
    .description('Addresses and domains that are left out of leads and sent no messages.');
  command
    .command('list')
    .description('List the entries, newest first.')
    .option('--limit <n>', 'entries at most', wholeNumber(1, MAX_ENTRIES), PAGE)
    .action(({ limit }: { limit: number }) => list(limit, context));
  command
    .command('add')
    .description('Add addresses (with @) and domains (without, their subdomains included).')
    .argument('<who...>', 'addresses and domains')
    .option('--note <text>', 'why')
    .action((who: string[], { note }: { note?: string }) => add(who, note ?? null, context));
  command
    .command('remove')
    .description('Take addresses and domains off the list; needs an admin key.')
    .argument('<who...>', 'addresses and domains')
    .action((who: string[]) => remove(who, context));
};

async function list(limit: number, context: CommandContext): Promise<void> {
  const client = context.connect();
  const entries: Entry[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: String(Math.min(PAGE, limit - entries.length)) });
    if (cursor !== null) query.set('cursor', cursor);
    const page: z.output<typeof pageSchema> = await client.json(
      'GET',
      `${LIST}?${query.toString()}`,
      pageSchema,
    );
    entries.push(...page.do_not_contact);
    cursor = page.do_not_contact.length > 0 ? page.next_cursor : null;
  } while (cursor !== null && entries.length < limit);
  if (context.wantsJson()) {
    printJson(context, entries);
    return;
  }
  const rows = entries.map(({ kind, value, reason, created_at, note }) =>
    [value, kind, reason, created_at, note].map(plainLine),
  );
  const head = ['Who', 'Kind', 'Reason', 'Since', 'Note'];
  context.terminal.stdout.write(formatList(head, rows, 'Nobody is on the list.'));
  if (cursor !== null) context.terminal.stderr.write('There are more; --limit shows them.\n');
}

async function add(
  who: readonly string[],
  note: string | null,
  context: CommandContext,
): Promise<void> {
  const client = context.connect();
  const entries: Entry[] = [];
  for (let start = 0; start < who.length; start += BATCH) {
    const some = who.slice(start, start + BATCH);
    const added = await client.json('POST', LIST, addedSchema, {
      body: {
        emails: some.filter((one) => one.includes('@')),
        domains: some.filter((one) => !one.includes('@')),
        ...(note === null ? {} : { note }),
      },
    });
    entries.push(...added.do_not_contact);
  }
  if (context.wantsJson()) printJson(context, entries);
  else context.terminal.stdout.write(`${formatCount(entries.length)} on the list.\n`);
}

async function remove(who: readonly string[], context: CommandContext): Promise<void> {
  const client = context.connect();
  const removed: Entry[] = [];
  for (const value of who) {
    const query = new URLSearchParams({ value });
    const found = await client.json('GET', `${LIST}?${query.toString()}`, pageSchema);
    if (found.do_not_contact.length === 0) {
      throw new CommandFailure(
        `${plainLine(value)} is not on the list. List the entries with: millrace do-not-contact list`,
      );
    }
    for (const entry of found.do_not_contact) {
      await client.json('DELETE', `${LIST}/${entry.id}`, z.looseObject({}));
      removed.push(entry);
    }
  }
  if (context.wantsJson()) printJson(context, removed);
  else context.terminal.stdout.write(`${formatCount(removed.length)} removed.\n`);
}
