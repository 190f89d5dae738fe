import { isDisposable, isRoleAddress } from '#src/leads/lexicon/email-facts.ts';
import { nameMatchesAddress } from '#src/leads/extract/name-matches-address.ts';
import { contactsOf } from './draft-contacts.ts';
import type { EmailStatus, Evidence, Evidenced, LeadDraft } from './lead-draft.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { bestTrust, isStructured } from './trust.ts';

const FURTHER_SOURCE = 0.05;
const SAME_DOMAIN = 0.05;
const NAME_MATCHES = 0.05;
const MX_FOUND = 0.03;
const ROLE_ADDRESS = -0.1;
/** The maximum score of an address that cannot receive mail, or only for minutes. */
const NO_MX_CAP = 0.2;
const DISPOSABLE_CAP = 0.2;

/**
 * The confidence in a lead from its evidence, 0 to 1 in hundredths.
 * A lead with an address has the score of its first address: the trust of its best evidence (structured data 0.90,
 * h-card 0.88, `mailto:` and Cloudflare 0.85, obfuscated 0.75, visible text 0.60, a guess 0.40), +0.05 for each
 * further independent source, +0.05 when it is on the site's own registrable domain, +0.03 when that domain has a
 * mail server, +0.05 when the local part matches the person's name, -0.10 for a role address. At most 0.20 when the
 * domain takes no mail, or its addresses are disposable.
 * A lead without an address has the score of its best evidence for a phone, a profile or, failing those, its name,
 * with the same 0.05 for further sources. Sources are independent when they are different pages, or one page that
 * states the value both for machines and for people.
 */
export function scoreLead(draft: LeadDraft, emailStatus: EmailStatus | null): number {
  const [email] = draft.emails;
  const score = email ? scoreEmail(draft, email, emailStatus) : scoreOthers(draft);
  return Math.round(Math.min(1, Math.max(0, score)) * 100) / 100;
}

function scoreEmail(
  { name, kind, siteDomain }: LeadDraft,
  { value, evidence }: Evidenced,
  status: EmailStatus | null,
): number {
  const domain = value.slice(value.lastIndexOf('@') + 1);
  let score = scoreEvidence(evidence);
  if (registrableDomain(domain) === siteDomain) score += SAME_DOMAIN;
  if (status === 'mx') score += MX_FOUND;
  if (isRoleAddress(value)) score += ROLE_ADDRESS;
  if (kind === 'person' && name && nameMatchesAddress(name.value, value)) score += NAME_MATCHES;
  if (status === 'no_mx') score = Math.min(score, NO_MX_CAP);
  if (isDisposable(value)) score = Math.min(score, DISPOSABLE_CAP);
  return score;
}

function scoreOthers(draft: LeadDraft): number {
  const contacts = Object.values(contactsOf(draft)).flat();
  const found = contacts.length > 0 ? contacts : draft.name ? [draft.name] : [];
  return Math.max(0, ...found.map(({ evidence }) => scoreEvidence(evidence)));
}

function scoreEvidence(evidence: readonly Evidence[]): number {
  const sources = new Set(
    evidence.map(({ url, technique }) => `${isStructured(technique) ? 'data' : 'text'} ${url}`),
  );
  return bestTrust(evidence) + FURTHER_SOURCE * Math.max(0, sources.size - 1);
}
