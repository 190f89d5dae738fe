import { extractPage } from '#src/leads/extract/extract-page.ts';
import type { LeadDraft } from '#src/leads/merge/lead-draft.ts';
import { mergeLeads } from '#src/leads/merge/merge-leads.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { hostOf, type LabelledSite, readLabelledPage } from './labelled-leads.ts';

/** The leads of a labelled site, extracted as by a scrape that has read all of its pages. */
export function extractLabelledSite(site: LabelledSite): LeadDraft[] {
  const host = hostOf(site);
  const pages = site.pages.map((page) => extractPage(readLabelledPage(site, page)));
  return mergeLeads(pages, registrableDomain(host) ?? host);
}
