import { organizationKey } from '#src/leads/extract/organization-key.ts';
import { domainOfEmail, namesDomain } from '#src/leads/extract/own-domain.ts';
import { personNameKey } from '#src/leads/extract/person-name.ts';
import { contactsOf, withContacts } from './draft-contacts.ts';
import { joinDrafts } from './join-drafts.ts';
import type { LeadDraft } from './lead-draft.ts';
import { isStructured } from './trust.ts';

/** The employer of a site's only person, according to structured data. */
export function statedEmployer(persons: readonly LeadDraft[]): string | null {
  const [only, ...others] = persons;
  if (!only?.company || !only.name || others.length > 0) return null;
  const isStated = only.company.evidence.some(({ technique }) => isStructured(technique));
  const isOwn = organizationKey(only.company.value) === organizationKey(only.name.value);
  return isStated && !isOwn ? only.company.value : null;
}

/** If a site has one person and is named after them, the organisation's facts become theirs. */
export function mergePersonalSite(
  organization: LeadDraft,
  persons: readonly LeadDraft[],
): LeadDraft[] | null {
  const [only, ...others] = persons;
  if (!only?.name || !organization.name || others.length > 0) return null;
  if (personNameKey(only.name.value) !== personNameKey(organization.name.value)) return null;
  const { name, title, company } = only;
  const employer = employerOf(organization, only);
  if (employer) return [employer, only];
  const isOwn = company !== null && organizationKey(company.value) === organizationKey(name.value);
  const joined = joinDrafts([only, withContacts(only, contactsOf(organization))]);
  return [{ ...joined, name, title, company: isOwn ? null : company }];
}

/**
 * The employer that the person names. Their own name in the title is not an employer. Null unless an address contains
 * the employer's name; otherwise the facts belong to the person alone.
 */
function employerOf(organization: LeadDraft, only: LeadDraft): LeadDraft | null {
  const stated = statedEmployer([only]);
  if (stated === null) return null;
  const joined = joinDrafts([organization, withContacts(organization, contactsOf(only))]);
  const emails = joined.emails.filter(({ value }) => {
    const domain = domainOfEmail(value);
    return domain !== null && namesDomain(stated, domain);
  });
  if (emails.length === 0) return null;
  return { ...joined, name: only.company, company: only.company, emails };
}
