import { describe, expect, test } from 'vitest';
import { extractPage } from '#src/leads/extract/extract-page.ts';
import { withoutSalutation } from '#src/leads/extract/salutation.ts';
import type { LeadDraft } from '#src/leads/merge/lead-draft.ts';
import { mergeLeads } from '#src/leads/merge/merge-leads.ts';
import { splitEmployer } from '#src/leads/merge/split-employer.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';

const shown = (list: LeadDraft['emails']): string => list.map(({ value }) => value).join(' ');

/** The known facts of each lead of a site, line by line; unknown ones are omitted. */
function leadsOf(...pages: [url: string, html: string][]): Record<string, string>[] {
  const read = pages.map(([url, html]) => extractPage({ url, html, kind: 'html' }));
  const leads = mergeLeads(read, registrableDomain(pages[0]?.[0] ?? '') ?? '');
  return leads.map(({ kind, name, title, company, description, ...lead }) => {
    const facts = {
      kind,
      name: name?.value ?? '',
      title: title?.value ?? '',
      company: company?.value ?? '',
      emails: shown(lead.emails),
      phones: shown(lead.phones),
      linkedin: shown(lead.linkedin),
      twitter: shown(lead.twitter),
      description: description?.value ?? '',
    };
    return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== ''));
  });
}

describe('a page', () => {
  test('of one person yields name, title, employer and all contacts', () => {
    const html = `<html><head><title>Jane Smith</title></head><body>
      <h1>Jane Smith</h1><p>Head of Marketing at Brightwater Ltd</p>
      <p>Email: <a href="mailto:jane.smith@brightwater.example">jane.smith@brightwater.example</a></p>
      <p>Phone: +1 555 123 4567</p>
      <p><a href="https://www.linkedin.com/in/janesmith">LinkedIn</a> | <a href="https://twitter.com/janesmith">Twitter</a></p>`;
    expect(leadsOf(['http://127.0.0.1:8123/jane.html', html])).toEqual([
      {
        kind: 'person',
        name: 'Jane Smith',
        title: 'Head of Marketing',
        company: 'Brightwater Ltd',
        emails: 'jane.smith@brightwater.example',
        phones: '+15551234567',
        linkedin: 'https://www.linkedin.com/in/janesmith',
        twitter: 'https://x.com/janesmith',
      },
    ]);
  });

  test('with three cards yields three people, and the organization with its own contacts', () => {
    const card = (name: string, title: string, email: string, more = ''): string =>
      `<div class="col-md-4"><div class="card"><img src="x.jpg" alt="${name}"><div class="card-body">
      <h5 class="card-title">${name}</h5><p class="card-text">${title}</p>
      <a href="mailto:${email}?subject=Hello" class="btn">Email me</a>${more}</div></div></div>`;
    const html = `<html lang="en"><head><title>Our Team - Northwind Analytics</title>
      <meta name="description" content="Dashboards for grocers."></head><body><h1>Meet the team</h1><div class="row">
      ${card('Mrs. Alice Johnson', 'Chief Executive Officer', 'alice@northwind.example')}
      ${card('Mr Bob Martinez', 'VP of Engineering', 'bob@northwind.example', '<a href="https://x.com/bobmtz">X</a>')}
      ${card('Priya Raman', 'Customer Success Lead', 'priya@northwind.example', '<p>Direct: <a href="tel:+442079460991">020 7946 0991</a></p>')}
      </div><footer><p>12 Mill Lane, London &middot; +44 20 7946 0990 &middot; hello@northwind.example</p>
      <a href="https://twitter.com/intent/tweet?text=hi">Tweet this</a></footer>`;
    const company = 'Northwind Analytics';
    const leads = leadsOf(['http://127.0.0.1:4010/team', html]);
    expect(leads.toSorted((a, b) => ((a['name'] ?? '') < (b['name'] ?? '') ? -1 : 1))).toEqual([
      {
        kind: 'person',
        name: 'Alice Johnson',
        title: 'Chief Executive Officer',
        company,
        emails: 'alice@northwind.example',
      },
      {
        kind: 'person',
        name: 'Bob Martinez',
        title: 'VP of Engineering',
        company,
        emails: 'bob@northwind.example',
        twitter: 'https://x.com/bobmtz',
      },
      {
        kind: 'organization',
        name: company,
        company,
        emails: 'hello@northwind.example',
        phones: '+442079460990',
        description: 'Dashboards for grocers.',
      },
      {
        kind: 'person',
        name: 'Priya Raman',
        title: 'Customer Success Lead',
        company,
        emails: 'priya@northwind.example',
        phones: '+442079460991',
      },
    ]);
  });

  test('with one mail and one phone yields the organization, without its fax, customers or web agency', () => {
    const html = `<html lang="en"><head><title>Contact Us | Cedar &amp; Pine Roofing</title></head><body><h1>Contact Us</h1>
      <p>Cedar &amp; Pine Roofing<br>418 Oak Street<br>Portland, OR 97205</p>
      <p>(503) 555-0142 or <a href="mailto:office@cedarpine.example">office@cedarpine.example</a></p><p>Fax: (503) 555-0143</p>
      <form><input name="email" placeholder="you@example.com"></form><blockquote>Two days! <cite>Martha Greene, Teacher</cite></blockquote>
      <footer>Website by PixelForge (<a href="mailto:support@pixelforge.example">support@pixelforge.example</a>)</footer>`;
    const name = 'Cedar & Pine Roofing';
    expect(leadsOf(['https://www.cedarpine.example/contact', html])).toEqual([
      {
        kind: 'organization',
        name,
        company: name,
        emails: 'office@cedarpine.example',
        phones: '+15035550142',
      },
    ]);
  });

  test('of a person who is the site yields no organization', () => {
    const html = `<title>Jane Doe - Product Designer</title><h1>Hi, I'm Jane Doe</h1>
      <p>Reach me at <a href="mailto:jane@janedoe.example">jane@janedoe.example</a> or <a href="https://twitter.com/jdraws">@jdraws</a></p>
      <a href="https://www.linkedin.com/in/jd-draws">LinkedIn</a>`;
    expect(leadsOf(['https://www.janedoe.example/', html])).toEqual([
      {
        kind: 'person',
        name: 'Jane Doe',
        title: 'Product Designer',
        emails: 'jane@janedoe.example',
        linkedin: 'https://www.linkedin.com/in/jd-draws',
        twitter: 'https://x.com/jdraws',
      },
    ]);
  });

  test('that marks up the number of the organization does not assign it to the person inside', () => {
    const html = `<div itemscope itemtype="https://schema.org/Organization"><b itemprop="name">Lakeside Tools</b>
      <span itemprop="telephone">+1-212-555-0175</span>
      <div itemprop="employee" itemscope itemtype="https://schema.org/Person"><span itemprop="name">Robert Klein</span>,
      <span itemprop="jobTitle">Sales Director</span> <span itemprop="telephone">+1 212-555-0176</span></div></div>`;
    expect(leadsOf(['http://127.0.0.1:9000/', html]).map(({ phones }) => phones)).toEqual([
      '+12125550175',
      '+12125550176',
    ]);
  });
});

test.each([
  ['<li>Company: Fabrikam Inc.</li>', 'Fabrikam Inc.'],
  ['<li class="contact-org">Fabrikam</li>', 'Fabrikam'],
  ['<li>Company car: yes</li>', undefined],
])(
  'a card with %s names the employer %s, and an address without a name is not an employer',
  (line, company) => {
    const html = `<title>Contact</title><ul><li>Name: Laura Chen</li><li>Title: Buyer</li>${line}<li>Email: laura.chen@fabrikam.example</li></ul>`;
    expect(leadsOf(['http://127.0.0.1:8003/', html]).map((lead) => lead['company'])).toEqual([
      company,
    ]);
  },
);

describe('the organization', () => {
  const mail = '<p>info@acme.example</p>';
  test.each([
    ['<title>Contact</title><p>Acme Tools Ltd, Unit 4, Dock Road</p>', 'Acme Tools Ltd'],
    ['<title>Contact</title><p>Acme Tools Ltd<br>1 Main Street</p>', 'Acme Tools Ltd'],
    [
      '<title>Contact</title><p>© 2019–2026 Bolt &amp; Sons. All rights reserved.</p>',
      'Bolt & Sons',
    ],
    ['<title>Anvils and more</title><p>Copyright © 2026 Acme Tools</p>', 'Acme Tools'],
    ['<title>Bolt | Contact</title><p>© 2026 Bolt Ltd</p>', 'Bolt'],
    [
      '<title>Lawyers Doe, Miller - Leeds</title><p>Solicitors Doe · Miller · Smith LLP</p>',
      'Solicitors Doe · Miller · Smith LLP',
    ],
    ['<title>Bolt</title><p>Start · Contact · Acme Ltd</p>', 'Bolt'],
    ['<title>Bolt | Contact</title><p>© 2026 All rights reserved</p>', 'Bolt'],
    ['<title>Bolt | Contact</title><blockquote>Acme Tools Ltd</blockquote>', 'Bolt'],
  ])('of %s is called %s', (html, name) => {
    expect(leadsOf(['http://127.0.0.1:8000/contact', html + mail])[0]?.['name']).toBe(name);
  });

  test('is described by its start page, or else by the first page read', () => {
    const head = (text: string): string => `<meta name="description" content="${text}">${mail}`;
    const contact: [string, string] = ['https://acme.example/contact', head('How to reach us.')];
    expect(leadsOf(contact, ['https://acme.example/', head('Anvils.')])[0]?.['description']).toBe(
      'Anvils.',
    );
    expect(leadsOf(contact)[0]?.['description']).toBe('How to reach us.');
    const marked = `<script type="application/ld+json">{"@type":"Organization","name":"Acme","description":"Since 1920.","email":"info@acme.example"}</script>`;
    expect(leadsOf(['https://acme.example/', head('Anvils.') + marked])[0]?.['description']).toBe(
      'Since 1920.',
    );
  });
});

test.each([
  ['Frau Dr. Erika Huber', 'Dr. Erika Huber'],
  ['Herr Uwe Sommer', 'Uwe Sommer'],
  ['Mr. Bob Ray', 'Bob Ray'],
  ['M. Étienne Lefèvre', 'Étienne Lefèvre'],
  ['D. Pablo Llorente Sanz', 'Pablo Llorente Sanz'],
  ['D. Wayne Lukas', 'D. Wayne Lukas'],
  ['D.ª Yolanda Peñas', 'Yolanda Peñas'],
  ['Doña Carmen Tapia', 'Carmen Tapia'],
  ['Mme Camille Roux', 'Camille Roux'],
  ['Sra. Lucía Gómez', 'Lucía Gómez'],
  ['M. A. Khan', 'M. A. Khan'],
  ['M. van Dijk', 'M. van Dijk'],
  ['Mrs. Smith', 'Mrs. Smith'],
  ['Herr und Frau Huber', 'Herr und Frau Huber'],
  ['Dr. Jane Doe', 'Dr. Jane Doe'],
])('%s is named %s', (written, name) => {
  expect(withoutSalutation(written)).toBe(name);
});

test.each([
  ['Head of Sales at Acme Ltd', null, 'Head of Sales', 'Acme Ltd'],
  ['Entwicklerin bei Acme', 'Acme GmbH', 'Entwicklerin', 'Acme GmbH'],
  ['Director of Research @ Polarwind', null, 'Director of Research', 'Polarwind'],
  ['Head of Sales at Acme', 'Bolt', 'Head of Sales at Acme', 'Bolt'],
  ['Editor at Large', null, 'Editor at Large', null],
  ['Looking at Things', null, 'Looking at Things', null],
  [null, 'Acme', null, 'Acme'],
])('the position %s at the organization %s becomes %s at %s', (title, company, role, house) => {
  expect(splitEmployer(title, company)).toEqual({ title: role, company: house });
});
