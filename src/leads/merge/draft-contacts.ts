import type { Evidenced, LeadDraft } from './lead-draft.ts';

/** The fields of a draft that hold contacts. */
export const CONTACT_FIELDS = [
  'emails',
  'phones',
  'linkedin',
  'twitter',
  'facebook',
  'instagram',
] as const;
export type ContactField = (typeof CONTACT_FIELDS)[number];
export type Contacts = Record<ContactField, Evidenced[]>;

export function contactsOf({
  emails,
  phones,
  linkedin,
  twitter,
  otherSocials,
}: LeadDraft): Contacts {
  return { emails, phones, linkedin, twitter, ...otherSocials };
}

/** A copy of the draft with other contacts. */
export function withContacts(
  draft: LeadDraft,
  { emails, phones, linkedin, twitter, facebook, instagram }: Contacts,
): LeadDraft {
  return { ...draft, emails, phones, linkedin, twitter, otherSocials: { facebook, instagram } };
}

export function mapContacts(of: (field: ContactField) => Evidenced[]): Contacts {
  return {
    emails: of('emails'),
    phones: of('phones'),
    linkedin: of('linkedin'),
    twitter: of('twitter'),
    facebook: of('facebook'),
    instagram: of('instagram'),
  };
}

export function hasContacts(draft: LeadDraft): boolean {
  const contacts = contactsOf(draft);
  return CONTACT_FIELDS.some((field) => contacts[field].length > 0);
}
