import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { decodePage } from '#src/files/decode-page.ts';
import type { PageToExtract } from '#src/leads/extract/extracted-page.ts';

const SET_URL = new URL('../fixtures/leads/', import.meta.url);
const LABELS = 'labels.json';

const words = z.string().trim().min(1);
const factsSchema = {
  /** The first is the site's most frequent spelling; the others are equally right. */
  names: z.array(words).min(1),
};
const emailSchema = z.string().regex(/^[^\sA-Z@]+@[^\sA-Z@]+$/);
const phoneSchema = z.string().regex(/^\+[1-9]\d{6,14}$/);
const linkedinSchema = z
  .string()
  .regex(/^https:\/\/www\.linkedin\.com\/(?:in|company)\/[a-z0-9-]+$/)
  .nullable();
const twitterSchema = z
  .string()
  .regex(/^https:\/\/x\.com\/[a-z0-9_]{1,15}$/)
  .nullable();

const pageSchema = z.strictObject({
  file: z.string().regex(/^[a-z0-9-]+\.(?:html?|vcf)$/),
  url: z.url(),
  kind: z.enum(['html', 'vcard']),
  /** How the facts of this page are encoded. */
  techniques: z.array(words),
  /** Text that looks like a fact of the site and is not. */
  traps: z.array(words),
});

const organizationSchema = z.strictObject({
  ...factsSchema,
  emails: z.array(emailSchema),
  phones: z.array(phoneSchema),
  linkedin: linkedinSchema,
  twitter: twitterSchema,
});

const personSchema = z.strictObject({
  ...factsSchema,
  /** Any of them is right; empty when the site gives none. */
  titles: z.array(words),
  email: emailSchema.nullable(),
  phone: phoneSchema.nullable(),
  linkedin: linkedinSchema,
  twitter: twitterSchema,
});

const siteSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]+$/),
  split: z.enum(['dev', 'held-out']),
  languages: z.array(z.string().regex(/^[a-z]{2}$/)).min(1),
  pages: z.array(pageSchema).min(1),
  /** Null when the site has no leads: everything that looks like one is a trap. */
  organization: organizationSchema.nullable(),
  persons: z.array(personSchema),
});
const labelsSchema = z.strictObject({ sites: z.array(siteSchema).min(1) });

export type LabelledSite = z.infer<typeof siteSchema>;
export type LabelledPage = z.infer<typeof pageSchema>;
export type LabelledPerson = z.infer<typeof personSchema>;
export type Split = LabelledSite['split'];

/**
 * The labelled pages of invented companies, with the leads that a careful reader would take from each site. @throws
 * when labels and files do not match
 */
export function readLabelledSites(): LabelledSite[] {
  const labels: unknown = JSON.parse(readFileSync(new URL(LABELS, SET_URL), 'utf8'));
  const { sites } = labelsSchema.parse(labels);
  const folders = readdirSync(SET_URL).filter((name) => name !== LABELS);
  assertSame(
    'test/fixtures/leads',
    folders,
    sites.map(({ id }) => id),
  );
  for (const { id, pages } of sites) {
    assertSame(
      id,
      readdirSync(new URL(id, SET_URL)),
      pages.map(({ file }) => file),
    );
  }
  const hosts = sites.map(hostOf);
  if (new Set(hosts).size < hosts.length) throw new Error('Two labelled sites share a host.');
  return sites;
}

export function hostOf({ id, pages }: LabelledSite): string {
  const hosts = new Set(pages.map(({ url }) => new URL(url).hostname));
  const [host = ''] = hosts;
  if (hosts.size > 1) throw new Error(`The pages of ${id} are on several hosts.`);
  if (/\.(?:example|test)$/.test(host)) return host;
  throw new Error(`${id} is at ${host}, a domain that somebody may own.`);
}

export function readLabelledPage(site: LabelledSite, page: LabelledPage): PageToExtract {
  const html = decodePage(labelledBytes(site, page), '');
  if (html === null) throw new Error(`${site.id}/${page.file} is not text.`);
  return { url: page.url, html, kind: page.kind };
}

export function labelledBytes({ id }: LabelledSite, { file }: LabelledPage): Buffer {
  return readFileSync(new URL(`${id}/${file}`, SET_URL));
}

function assertSame(place: string, files: readonly string[], labelled: readonly string[]): void {
  const wrong = [...files, ...labelled].filter(
    (name) => !files.includes(name) || labelled.filter((other) => other === name).length !== 1,
  );
  if (wrong.length > 0) {
    throw new Error(`${place}: files and labels differ in ${wrong.join(', ')}.`);
  }
}
