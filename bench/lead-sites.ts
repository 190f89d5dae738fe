import { readLeadSites, type LeadSite } from '#test/support/read-lead-sites.ts';
import { qualityOf, type Tally } from '#test/support/score-labelled-leads.ts';
import {
  type LeadSiteScore,
  scoreLeadSite,
  SITE_FIELDS,
  type SiteField,
} from '#test/support/score-lead-sites.ts';
import { openTestServices } from '#test/support/test-services.ts';
import { visitLeadSite } from '#test/support/visit-lead-site.ts';
import type { BenchOptions } from './bench-options.ts';

interface Judged {
  site: LeadSite;
  score: LeadSiteScore;
}

/**
 * Prints precision and recall of each field over the labelled sites, visited as a scrape does. Of held-out sites only
 * totals are shown, so that rules are not tuned on them.
 */
export async function leadSites({ split, verbose }: BenchOptions): Promise<void> {
  await using test = await openTestServices({ LEAD_REQUEST_GAP_MS: '0' });
  const sites = readLeadSites().filter((site) => split === 'all' || site.split === split);
  console.log(`leads: visits to ${sites.length} labelled sites`);
  const judged: Judged[] = [];
  for (const site of sites) {
    judged.push({ site, score: scoreLeadSite(site, await visitLeadSite(test.services, site)) });
  }
  const dev = judged.filter(({ site }) => site.split === 'dev');
  const heldOut = judged.filter(({ site }) => site.split === 'held-out');
  for (const [kind, ofKind] of Map.groupBy(dev, ({ site }) => site.kind)) {
    printFigures(`dev, ${kind}`, ofKind);
  }
  if (dev.length > 0) printFigures('dev', dev);
  if (heldOut.length > 0) printFigures('held-out', heldOut);
  if (!verbose) return;
  for (const { score } of dev) for (const line of score.misses) console.log(line);
}

function printFigures(title: string, judged: readonly Judged[]): void {
  const wrong = judged.reduce((sum, { score }) => sum + score.wrongOwners, 0);
  console.log(`\n${title}: ${judged.length} sites, ${wrong} contacts with a wrong owner`);
  const rows = SITE_FIELDS.map((field) => [field, rowOf(tallyOf(judged, field))] as const);
  console.table(Object.fromEntries(rows));
}

function tallyOf(judged: readonly Judged[], field: SiteField): Tally {
  const sum = { expected: 0, found: 0, right: 0 };
  for (const { score } of judged) {
    sum.expected += score.tallies[field].expected;
    sum.found += score.tallies[field].found;
    sum.right += score.tallies[field].right;
  }
  return sum;
}

function rowOf(tally: Tally): object {
  const { precision, recall } = qualityOf(tally);
  return { ...tally, precision: rounded(precision), recall: rounded(recall) };
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
