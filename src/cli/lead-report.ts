import { z } from 'zod';
import { type CommandContext, printJson } from './command-context.ts';
import { toCsv } from './csv.ts';
import { UsageError } from './exit.ts';
import { formatTable, plainLine } from './terminal.ts';

export const scrapeSchema = z.looseObject({
  scrape_id: z.string(),
  mode: z.string(),
  query: z.string(),
  status: z.string(),
  pages_done: z.number(),
  total_results: z.number(),
  error: z.string().nullable(),
  created_at: z.string(),
});
const evidencedSchema = z.looseObject({
  sources: z.array(z.looseObject({ url: z.string(), technique: z.string() })),
});
const leadSchema = z.looseObject({
  name: z.string(),
  title: z.string(),
  company: z.string(),
  email: z.string(),
  phone: z.string(),
  website: z.string(),
  socials: z.looseObject({ linkedin: z.string(), twitter: z.string() }),
  confidence_score: z.number(),
  evidence: z.record(z.string(), z.array(evidencedSchema)).default({}),
});
export const scrapeDetailsSchema = scrapeSchema.extend({
  warnings: z.array(z.string()).default([]),
  leads: z.array(leadSchema),
});
export type Scrape = z.output<typeof scrapeSchema>;
export type ScrapeDetails = z.output<typeof scrapeDetailsSchema>;
type Lead = z.output<typeof leadSchema>;

/** Tables are for people, CSV and JSON for programs. */
export type ReportForm = 'table' | 'csv' | 'json';

/** @throws UsageError when two forms are requested at once */
export function chooseForm(isCsvWanted: boolean, context: CommandContext): ReportForm {
  if (isCsvWanted && context.wantsJson()) throw new UsageError('Give either --csv or --json.');
  if (isCsvWanted) return 'csv';
  return context.wantsJson() ? 'json' : 'table';
}

/** Leads go to stdout, what may be missing to stderr. JSON has both. */
export function printScrape(
  scrape: ScrapeDetails,
  form: ReportForm,
  context: CommandContext,
): void {
  const { stdout, stderr } = context.terminal;
  switch (form) {
    case 'json':
      printJson(context, scrape);
      return;
    case 'csv':
      stdout.write(toCsv([CSV_HEAD, ...scrape.leads.map(toCsvRow)]));
      break;
    case 'table':
      stdout.write(
        scrape.leads.length === 0
          ? 'No leads.\n'
          : formatTable([TABLE_HEAD, ...scrape.leads.map(toTableRow)]),
      );
  }
  for (const warning of scrape.warnings) stderr.write(`${plainLine(warning)}\n`);
}

const TABLE_HEAD = ['Name', 'Title', 'Company', 'Email', 'Phone', 'Score'];

function toTableRow({ name, title, company, email, phone, confidence_score }: Lead): string[] {
  return [name, title, company, email, phone, confidence_score.toFixed(2)].map(plainLine);
}

const CSV_HEAD = 'name,title,company,email,phone,website,linkedin,twitter,score,evidence'.split(
  ',',
);

function toCsvRow(lead: Lead): string[] {
  const { name, title, company, email, phone, website, socials, confidence_score } = lead;
  const { linkedin, twitter } = socials;
  const score = confidence_score.toFixed(2);
  return [name, title, company, email, phone, website, linkedin, twitter, score, evidenceOf(lead)];
}

/** Where the best value of each field was first found. */
function evidenceOf({ evidence }: Lead): string {
  const places = Object.entries(evidence).flatMap(([field, [best]]) => {
    const source = best?.sources[0];
    return source ? [`${field}: ${source.url} (${source.technique})`] : [];
  });
  return places.join('; ');
}
