import { openPage } from '#src/files/open-page.ts';
import { extractPage } from '#src/leads/extract/extract-page.ts';
import type { PageToExtract } from '#src/leads/extract/extracted-page.ts';
import { extractLabelledSite } from '#test/support/extract-labelled-site.ts';
import {
  type LabelledSite,
  readLabelledPage,
  readLabelledSites,
} from '#test/support/labelled-leads.ts';
import {
  addTallies,
  qualityOf,
  SCORED_FIELDS,
  scoreSite,
  type SiteScore,
} from '#test/support/score-labelled-leads.ts';
import type { BenchOptions } from './bench-options.ts';
import { leadSites } from './lead-sites.ts';

const MICROSECONDS_PER_SECOND = 1_000_000;
/** Runs per page, so that a page that takes one millisecond can be measured too. */
const RUNS_PER_PAGE = 5;
/** Rounds alternate between extraction and parsing; the median round of each page counts. */
const ROUNDS = 5;

interface Judged {
  site: LabelledSite;
  score: SiteScore;
}

/** Measures labelled pages, or labelled sites with `--set sites`. */
export async function leads(options: BenchOptions): Promise<void> {
  if (options.set === 'sites') await leadSites(options);
  else leadPages(options);
}

/**
 * Prints precision, recall and F1 of each field on the labelled pages, and the pages one core extracts per second,
 * beside parsing alone. Rules are tuned on `dev`; `held-out` is the honest figure.
 */
function leadPages({ split, verbose }: BenchOptions): void {
  const sites = readLabelledSites().filter((site) => split === 'all' || site.split === split);
  const judged = sites.map((site) => ({ site, score: scoreSite(site, extractLabelledSite(site)) }));
  const pages = sites.flatMap((site) => site.pages.map((page) => readLabelledPage(site, page)));
  console.log(`leads: ${pages.length} pages of ${sites.length} sites`);
  if (split !== 'held-out') printQuality('dev', judged);
  if (split !== 'dev') printQuality('held-out', judged);
  if (split === 'all') printQuality('all', judged);
  if (verbose) printFindings(judged);
  printSpeed(pages);
}

function printQuality(split: BenchOptions['split'], judged: readonly Judged[]): void {
  const own = judged.filter(({ site }) => split === 'all' || site.split === split);
  const scores = own.map(({ score }) => score);
  const rows = SCORED_FIELDS.map((field) => {
    const tally = addTallies(scores, field);
    const { precision, recall, f1 } = qualityOf(tally);
    const row = { ...tally, precision: rounded(precision), recall: rounded(recall) };
    return [field, { ...row, F1: rounded(f1) }] as const;
  });
  console.log(`\n${split}`);
  console.table(Object.fromEntries(rows));
}

/** Of held-out sites only totals are shown, so that rules are not tuned on them. */
function printFindings(judged: readonly Judged[]): void {
  for (const { site, score } of judged) {
    if (site.split !== 'dev') continue;
    for (const line of score.misses) console.log(`missed ${line}`);
    for (const line of score.falseFinds) console.log(`wrong  ${line}`);
  }
}

/** Measures the CPU time of all threads, so that garbage collection counts too. */
function printSpeed(pages: readonly PageToExtract[]): void {
  const html = pages.filter(({ kind }) => kind === 'html');
  const parse = ({ html: text }: PageToExtract): unknown => openPage(text);
  // JIT warm-up.
  for (const page of html) secondsPerRun(extractPage, page);
  for (const page of html) secondsPerRun(parse, page);
  const extracted = html.map((): number[] => []);
  const parsed = html.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, page] of html.entries()) {
      extracted[at]?.push(secondsPerRun(extractPage, page));
      parsed[at]?.push(secondsPerRun(parse, page));
    }
  }
  const extraction = extracted.map(median);
  const parsing = parsed.map(median);
  const bytes = html.map((page) => page.html.length);
  console.log(`\nspeed on one core; the median page has ${Math.round(median(bytes) / 1024)} KB`);
  console.table({
    'parsing alone': speedRow(parsing, html),
    extraction: speedRow(extraction, html),
    'extraction / parsing': {
      'pages/s, median page': rounded(median(parsing) / median(extraction)),
      'pages/s, all pages': rounded(sum(parsing) / sum(extraction)),
    },
  });
}

function speedRow(seconds: readonly number[], pages: readonly PageToExtract[]): object {
  const slowest = Math.max(...seconds);
  return {
    'pages/s, median page': Math.round(1 / median(seconds)),
    'pages/s, all pages': Math.round(seconds.length / sum(seconds)),
    'slowest ms': rounded(slowest * 1000),
    'slowest page': pages[seconds.indexOf(slowest)]?.url,
  };
}

function secondsPerRun(run: (page: PageToExtract) => unknown, page: PageToExtract): number {
  const before = process.cpuUsage();
  for (let times = 0; times < RUNS_PER_PAGE; times += 1) run(page);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / MICROSECONDS_PER_SECOND / RUNS_PER_PAGE;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
