import type { Enrichment } from '#src/tables/leads.ts';
import type { LeadDraft } from '#src/leads/merge/lead-draft.ts';

/** A draft without the facts that were not requested. */
export function onlyWanted(draft: LeadDraft, wants: readonly Enrichment[]): LeadDraft {
  const wantsEmail = wants.includes('email');
  const wantsPhone = wants.includes('phone');
  const wantsSocials = wants.includes('socials');
  const wantsCompany = wants.includes('company_info');
  return {
    ...draft,
    emails: wantsEmail ? draft.emails : [],
    phones: wantsPhone ? draft.phones : [],
    linkedin: wantsSocials ? draft.linkedin : [],
    twitter: wantsSocials ? draft.twitter : [],
    otherSocials: wants.includes('other_socials')
      ? draft.otherSocials
      : { facebook: [], instagram: [] },
    description: wantsCompany ? draft.description : null,
    address: wantsCompany ? draft.address : null,
    emailPattern: wantsEmail ? draft.emailPattern : null,
  };
}
