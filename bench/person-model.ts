import { writeFileSync } from 'node:fs';
import { extractPage } from '#src/leads/extract/extract-page.ts';
import { siteSigns } from '#src/leads/extract/person-model.ts';
import { personNameKey } from '#src/leads/extract/person-name.ts';
import { type LeadSite, readLeadSites } from '#test/support/read-lead-sites.ts';
import { openTestServices } from '#test/support/test-services.ts';
import { visitLeadSite } from '#test/support/visit-lead-site.ts';
import { fitLogistic, type Logistic, oddsOf, type Sample } from './logistic-regression.ts';

const WEIGHTS = new URL('../src/leads/extract/person-weights.ts', import.meta.url);
const FOLDS = 10;
/** A sign must be on this many mentions and sites to have a weight. */
const MIN_MENTIONS = 8;
const MIN_SITES = 4;
/** The most telling signs; more change nothing in cross-validation. */
const MOST_SIGNS = 140;
const RECALL = 0.75;
const PRECISION = 0.95;
const THRESHOLDS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/** The mention of a name on a page of a labelled site. */
interface LabelledMention extends Sample {
  site: string;
  name: string;
}

/**
 * Trains the model of persons on the `dev` sites and writes its weights. Prints first, for several thresholds, what the
 * model alone finds on sites that it was not trained on, by ten folds of sites.
 */
export async function personModel(): Promise<void> {
  await using test = await openTestServices({ LEAD_REQUEST_GAP_MS: '0' });
  const mentions: LabelledMention[] = [];
  const persons = new Map<string, number>();
  for (const site of readLeadSites().filter(({ split }) => split === 'dev')) {
    const labels = labelledPersons(site);
    persons.set(site.id, new Set(labels.values()).size);
    const found: { name: string; page: string; signs: ReadonlySet<string> }[] = [];
    await visitLeadSite(test.services, site, (page) =>
      extractPage(page, (ones) => {
        found.push(...ones.map(({ key, signs }) => ({ name: key, page: page.url, signs })));
      }),
    );
    mentions.push(...withSiteSigns(found, labels).map((one) => ({ ...one, site: site.id })));
  }
  console.log(`person-model: ${mentions.length} mentions of names on ${persons.size} sites`);
  printFigures(crossValidated(mentions, [...persons.keys()]), mentions, persons);
  writeFileSync(WEIGHTS, sourceOf(train(mentions)));
}

/** Keys of all spellings of the labelled persons, and the first spelling of each. */
function labelledPersons({ persons, members }: LeadSite): Map<string, string> {
  const all = [...persons, ...members.flatMap((member) => member.persons)];
  return new Map(
    all.flatMap(({ names }) => names.map((name) => [personNameKey(name), names[0] ?? ''] as const)),
  );
}

function withSiteSigns(
  found: readonly { name: string; page: string; signs: ReadonlySet<string> }[],
  labels: ReadonlyMap<string, string>,
): Omit<LabelledMention, 'site'>[] {
  const withNames = new Set(found.map(({ page }) => page)).size;
  return [...Map.groupBy(found, ({ name }) => name)].flatMap(([name, ofName]) => {
    const onPages = new Set(ofName.map(({ page }) => page)).size;
    const subjects = new Set(
      ofName.flatMap(({ signs }) => [...signs].filter((sign) => sign.startsWith('page: '))),
    );
    const ofSite = siteSigns({ onPages, withNames, subjects });
    // A name in the foot of every page counts as a few, not as many.
    const weight = 1 / Math.sqrt(ofName.length);
    const label = labels.get(name);
    return ofName.map(({ signs }) => ({
      name: label ?? name,
      signs: new Set([...signs, ...ofSite]),
      isTrue: label !== undefined,
      weight,
    }));
  });
}

function train(mentions: readonly LabelledMention[]): Logistic {
  const signs = signsOf(mentions);
  const all = fitLogistic(mentions, signs);
  const count = (sign: string): number => mentions.filter((one) => one.signs.has(sign)).length;
  const importance = (sign: string): number => {
    const share = count(sign) / mentions.length;
    return Math.abs(all.weights.get(sign) ?? 0) * Math.sqrt(share * (1 - share));
  };
  const ranked = signs
    .map((sign) => ({ sign, importance: importance(sign) }))
    .toSorted((a, b) => b.importance - a.importance);
  return fitLogistic(
    mentions,
    ranked.slice(0, MOST_SIGNS).map(({ sign }) => sign),
  );
}

function signsOf(mentions: readonly LabelledMention[]): string[] {
  const sites = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const { signs, site } of mentions) {
    for (const sign of signs) {
      sites.set(sign, (sites.get(sign) ?? new Set()).add(site));
      counts.set(sign, (counts.get(sign) ?? 0) + 1);
    }
  }
  return [...sites]
    .filter(([sign, ofSign]) => ofSign.size >= MIN_SITES && (counts.get(sign) ?? 0) >= MIN_MENTIONS)
    .map(([sign]) => sign)
    .toSorted();
}

/** The odds of each mention by a model that was trained without its site. */
function crossValidated(mentions: readonly LabelledMention[], sites: readonly string[]): number[] {
  const folds = new Map(sites.map((site, at) => [site, at % FOLDS]));
  const models = Array.from({ length: FOLDS }, (_, fold) =>
    train(mentions.filter(({ site }) => folds.get(site) !== fold)),
  );
  return mentions.map(({ site, signs }) => {
    const model = models[folds.get(site) ?? 0];
    return model ? oddsOf(model, signs) : 0;
  });
}

function printFigures(
  odds: readonly number[],
  mentions: readonly LabelledMention[],
  persons: ReadonlyMap<string, number>,
): void {
  const best = new Map<string, { odds: number; isTrue: boolean }>();
  for (const [at, { site, name, isTrue }] of mentions.entries()) {
    const key = `${site} ${name}`;
    const own = odds[at] ?? 0;
    if (own > (best.get(key)?.odds ?? -Infinity)) best.set(key, { odds: own, isTrue });
  }
  const expected = persons.values().reduce((sum, count) => sum + count, 0);
  printCurve([...best.values()], expected);
  const rows = THRESHOLDS.map((threshold) => {
    const found = [...best.values()].filter(
      (one) => one.odds >= Math.log(threshold / (1 - threshold)),
    );
    const right = found.filter(({ isTrue }) => isTrue).length;
    const row = {
      found: found.length,
      precision: rounded(right / found.length),
      recall: rounded(right / expected),
    };
    return [threshold, row] as const;
  });
  console.table(Object.fromEntries(rows));
}

/** What the model alone finds at a given recall, and at a given precision. */
function printCurve(found: readonly { odds: number; isTrue: boolean }[], expected: number): void {
  let right = 0;
  const points = found
    .toSorted((a, b) => b.odds - a.odds)
    .map(({ isTrue }, at) => {
      right += isTrue ? 1 : 0;
      return { precision: right / (at + 1), recall: right / expected };
    });
  const precision = points.find(({ recall }) => recall >= RECALL)?.precision ?? 0;
  const recall = points.findLast((point) => point.precision >= PRECISION)?.recall ?? 0;
  console.log(`precision at recall ${RECALL}: ${rounded(precision)}`);
  console.log(`recall at precision ${PRECISION}: ${rounded(recall)}`);
}

function sourceOf({ bias, weights }: Logistic): string {
  const lines = [...weights]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([sign, weight]) => `  ${/^\w+$/.test(sign) ? sign : `'${sign}'`}: ${rounded(weight)},`);
  return `/** Weights of the signs of a name in log odds, written by \`npm run bench -- person-model\`. */
export const BIAS = ${rounded(bias)};
export const PERSON_WEIGHTS: ReadonlyMap<string, number> = new Map(
  Object.entries({
${lines.map((line) => `  ${line}`).join('\n')}
  }),
);
`;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
