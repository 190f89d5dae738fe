import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { siteLabelSchema, type SiteLabel } from './lead-site-label.ts';
import { answerProblems, labelProblems } from './lead-site-problems.ts';
import { readingsOf } from './lead-site-readings.ts';

/** A labelled site and its files, by their names in `responses`. */
export interface LeadSite extends SiteLabel {
  files: ReadonlyMap<string, Buffer>;
}

const SITES = fileURLToPath(new URL('../fixtures/lead-sites/', import.meta.url));
const LABEL = 'site.json';

/**
 * All labelled sites, sorted by id. Facts are spelled as in `site.json`: phones as E.164, email addresses in lower
 * case.
 * @throws Error that lists all labels that do not match the files, each with its site
 */
export function readLeadSites(directory: string = SITES): LeadSite[] {
  const problems: string[] = [];
  const sites = readdirSync(directory)
    .toSorted()
    .flatMap((folder) => {
      const site = readSite(join(directory, folder));
      const found = typeof site === 'string' ? [site] : problemsOf(site, folder);
      problems.push(...found.map((problem) => `${folder}: ${problem}`));
      return typeof site === 'string' ? [] : [site];
    });
  problems.push(...sharedHosts(sites));
  if (problems.length > 0) throw new Error(`Labelled sites:\n${problems.join('\n')}`);
  return sites;
}

/** The site, or what is wrong with its label's format. */
function readSite(folder: string): LeadSite | string {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
  if (!names.includes(LABEL)) return `${LABEL} is missing`;
  const files = new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
  const label = siteLabelSchema.safeParse(JSON.parse(files.get(LABEL)?.toString('utf8') ?? ''));
  if (!label.success) return z.prettifyError(label.error);
  files.delete(LABEL);
  return { ...label.data, files };
}

function problemsOf(site: LeadSite, folder: string): string[] {
  const readings = [...site.files].map(([name, bytes]) => readingsOf(bytes, typeOf(site, name)));
  return [
    ...(site.id === folder ? [] : [`its id is "${site.id}"`]),
    ...answerProblems(
      site,
      [...site.files.keys()],
      readings.flatMap(({ texts }) => texts),
    ),
    ...labelProblems(site, readings),
  ];
}

/** The content type of a file, which may name its charset. */
function typeOf(site: SiteLabel, file: string): string {
  const answer = Object.values(site.responses).find((one) => one.file === file);
  return answer?.headers?.['content-type'] ?? '';
}

function sharedHosts(sites: readonly LeadSite[]): string[] {
  const ids = Map.groupBy(sites, ({ host }) => host.replace(/^www\./, ''));
  return [...ids]
    .filter(([, owners]) => owners.length > 1)
    .map(([host, owners]) => `${owners.map(({ id }) => id).join(' and ')} share the host ${host}`);
}
