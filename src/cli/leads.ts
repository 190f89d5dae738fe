import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { ENRICHMENTS } from '#src/tables/leads.ts';
import { type AddCommand, type CommandContext, printJson, wholeNumber } from './command-context.ts';
import { findLeads, type FindOptions, SCRAPES } from './find-leads.ts';
import {
  chooseForm,
  printScrape,
  type Scrape,
  scrapeDetailsSchema,
  scrapeSchema,
} from './lead-report.ts';
import { formatCount, formatList, plainLine } from './terminal.ts';

const MAX_PAGE = 200;
const SCRAPE = ['<id>', 'id of the scrape, as "leads list" shows it'] as const;
const CSV = ['--csv', 'print the leads as CSV'] as const;
const scrapeList = z.object({ scrapes: z.array(scrapeSchema), next_cursor: z.string().nullable() });
const pathOf = (id: string): string => `${SCRAPES}/${encodeURIComponent(id)}`;

/** `millrace leads`: finds leads by search words, or on the sites of addresses. */
export const addLeadsCommand: AddCommand = (program, context) => {
  const leads = program
    .command('leads')
    .summary('find leads, and look at earlier scrapes')
    .description('Find people and organisations with ways to reach them.');
  leads
    .command('find')
    .summary('find leads by words, or on the sites of addresses')
    .description('Find leads: on the sites of addresses such as example.com, else by words.')
    .argument('<what...>', 'one address, several, or words')
    .option('--max <n>', 'leads at most (default: 25)', wholeNumber(1, 50))
    .option('--enrichment <list>', `what to look up, of ${ENRICHMENTS.join(',')}`, enrichment)
    .option('--fresh', 'read again instead of sharing a result of the last hour')
    .option(...CSV)
    .action((what: string[], options: FindOptions) => findLeads(what, options, context));
  leads
    .command('list')
    .description('List the scrapes, the newest first.')
    .option('--limit <n>', 'how many', wholeNumber(1, MAX_PAGE), 20)
    .action(({ limit }: { limit: number }) => list(limit, context));
  leads
    .command('show')
    .description('Show the leads of a scrape; with --json also where each value was found.')
    .argument(...SCRAPE)
    .option(...CSV)
    .action((id: string, { csv }: { csv?: true }) => show(id, csv === true, context));
  leads
    .command('cancel')
    .description('Stop a scrape; what it has found stays.')
    .argument(...SCRAPE)
    .action((id: string) => cancel(id, context));
  leads
    .command('delete')
    .description('Delete a scrape with its leads.')
    .argument(...SCRAPE)
    .action((id: string) => remove(id, context));
};

function enrichment(text: string): string[] {
  const wanted = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const known: readonly string[] = ENRICHMENTS;
  if (wanted.every((word) => known.includes(word))) return wanted;
  throw new InvalidArgumentError(`It must be some of ${ENRICHMENTS.join(',')}.`);
}

async function list(limit: number, context: CommandContext): Promise<void> {
  const path = `${SCRAPES}?limit=${limit}`;
  const { scrapes, next_cursor } = await context.connect().json('GET', path, scrapeList);
  if (context.wantsJson()) {
    printJson(context, scrapes);
    return;
  }
  const head = ['Id', 'Status', 'Leads', 'Pages', 'Since', 'Query'];
  context.terminal.stdout.write(
    formatList(head, scrapes.map(toRow), 'There are no scrapes yet: "millrace leads find".'),
  );
  if (next_cursor !== null) context.terminal.stderr.write('There are more; --limit shows them.\n');
}

function toRow(scrape: Scrape): string[] {
  const { scrape_id, status, total_results, pages_done, created_at, query } = scrape;
  const counts = [total_results, pages_done].map(formatCount);
  return [scrape_id, status, ...counts, created_at, query].map(plainLine);
}

async function show(id: string, isCsvWanted: boolean, context: CommandContext): Promise<void> {
  const form = chooseForm(isCsvWanted, context);
  const scrape = await context.connect().json('GET', pathOf(id), scrapeDetailsSchema);
  if (form === 'table') context.terminal.stderr.write(`${plainLine(describe(scrape))}\n`);
  printScrape(scrape, form, context);
}

function describe({ status, query, pages_done, error }: Scrape): string {
  const reason = error === null ? '' : `: ${error}`;
  return `"${query}": ${status}${reason} (pages: ${formatCount(pages_done)})`;
}

async function cancel(id: string, context: CommandContext): Promise<void> {
  const path = `${pathOf(id)}/cancel`;
  const scrape = await context.connect().json('POST', path, scrapeSchema);
  if (context.wantsJson()) printJson(context, scrape);
  else context.terminal.stdout.write(`Canceled ${plainLine(id)}. What it has found stays.\n`);
}

async function remove(id: string, context: CommandContext): Promise<void> {
  const answer = await context.connect().json('DELETE', pathOf(id), z.looseObject({}));
  if (context.wantsJson()) printJson(context, answer);
  else context.terminal.stdout.write(`Deleted ${plainLine(id)} with its leads.\n`);
}
