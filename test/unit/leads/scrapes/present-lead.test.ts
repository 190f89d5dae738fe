import { expect, test } from 'vitest';
import type { LeadId } from '#src/ids.ts';
import { emptyDraft } from '#src/leads/merge/join-drafts.ts';
import {
  leadDetailsSchema,
  leadSchema,
  presentLead,
  presentLeadDetails,
} from '#src/leads/scrapes/present-lead.ts';
import { DEFAULT_ENRICHMENTS, ENRICHMENTS } from '#src/tables/leads.ts';

const evidence = [{ url: 'https://acme.test/', technique: 'profile-link' as const }];
const row = {
  id: 'lead' as LeadId, // any text will do
  site_ordinal: 0,
  lead: {
    ...emptyDraft('organization', 'acme.test'),
    otherSocials: {
      facebook: [{ value: 'https://www.facebook.com/acme', evidence }],
      instagram: [],
    },
    emailPattern: { pattern: 'first.last@', examples: ['a.b@acme.test', 'c.d@acme.test'] },
    confidence: 0.5,
    emailStatus: null,
  },
};

test('a default request gets the same fields as before', () => {
  expect(Object.keys(presentLead(row, DEFAULT_ENRICHMENTS))).toEqual([
    'id',
    'name',
    'title',
    'company',
    'email',
    'phone',
    'website',
    'socials',
    'confidence_score',
  ]);
});

test('other networks are included on request, with their evidence', () => {
  const lead = presentLeadDetails(row, ENRICHMENTS);
  expect(leadDetailsSchema.parse(lead)).toMatchObject({
    socials: { linkedin: '', twitter: '' },
    other_socials: { facebook: 'https://www.facebook.com/acme', instagram: '' },
    email_pattern: { pattern: 'first.last@', examples: ['a.b@acme.test', 'c.d@acme.test'] },
    evidence: { facebook: [{ value: 'https://www.facebook.com/acme', sources: evidence }] },
  });
});

test('a listed member names the site where it was found', () => {
  const member = { ...row, lead: { ...row.lead, foundOn: 'guild.test' } };
  expect(leadSchema.parse(presentLead(member, []))).toMatchObject({ found_on: 'guild.test' });
});
