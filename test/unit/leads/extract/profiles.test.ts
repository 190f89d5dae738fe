import { expect, test } from 'vitest';

import { openPage } from '#src/files/open-page.ts';
import { canonicalProfile } from '#src/leads/extract/canonical-profile.ts';
import { readProfileLinks } from '#src/leads/extract/profile-links.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

test.each([
  'https://www.linkedin.com/shareArticle?mini=true&url=https://acme.test',
  'https://www.linkedin.com/sharing/share-offsite/?url=x',
  'https://www.linkedin.com/in/',
  'https://www.linkedin.com/',
  'https://www.linkedin.com/feed/update/urn:li:activity:1',
  'https://www.linkedin.com/jobs/view/1',
  'https://www.linkedin.com/posts/jane-doe_x',
  'https://www.linkedin.com/login?session_redirect=/in/jane',
  'https://www.linkedin.com/authwall?sessionRedirect=https://www.linkedin.com/in/jane',
  'https://www.linkedin.com/company/your-company',
  'https://www.linkedin.com/in/%E0%A4%A',
  'https://linkedin.com.evil.test/in/jane',
  'https://notlinkedin.com/in/jane',
  'https://twitter.com/intent/tweet?text=x',
  'https://twitter.com/intent/user?screen_name=acme',
  'https://twitter.com/share?url=x',
  'https://twitter.com/home?status=x',
  'https://twitter.com/hashtag/anvil',
  'https://twitter.com/search?q=acme',
  'https://twitter.com/i/events/1',
  'https://twitter.com/acme/status/1234',
  'https://x.com/acme/lists/x',
  'https://x.com/login',
  'https://x.com/',
  'https://x.com/a-b',
  'https://x.com/sixteencharacters',
  'https://netflix.com/title',
  'https://www.facebook.com/sharer.php?u=https://x.com/acme',
  'https://www.facebook.com/sharer/sharer.php?u=https://acme.test',
  'https://www.facebook.com/v2.10/dialog/share?app_id=1',
  'https://www.facebook.com/tr?id=1&ev=PageView',
  'https://www.facebook.com/events/123456789',
  'https://www.facebook.com/groups/anvils',
  'https://www.facebook.com/profile.php',
  'https://www.facebook.com/pages/Acme',
  'https://www.facebook.com/yourpage',
  'https://www.facebook.com/',
  'https://facebook.com.evil.test/acme',
  'https://www.instagram.com/p/CxYz123/',
  'https://www.instagram.com/explore/tags/anvil/',
  'https://www.instagram.com/stories/acme/1/',
  'https://www.instagram.com/your_username',
  'https://www.instagram.com/',
  'https://www.instagram.com/.acme',
  'ftp://x.com/acme',
  'javascript:x.com/acme',
  '/in/jane',
  'x.com',
  '',
  `https://x.com/${'a'.repeat(2e6)}`,
])('%s is not a profile', (url) => {
  expect(canonicalProfile(url)).toBeNull();
});

const fb = (path: string): string => `https://www.facebook.com/${path}`;

test.each([
  [
    'https://de.linkedin.com/in/Jane-Doe-1a2b/en?trk=x#about',
    'linkedin',
    'person',
    'https://www.linkedin.com/in/jane-doe-1a2b',
  ],
  [
    'http://linkedin.com/in/m%C3%BCller',
    'linkedin',
    'person',
    'https://www.linkedin.com/in/m%C3%BCller',
  ],
  [
    '//www.linkedin.com/in/Müller/',
    'linkedin',
    'person',
    'https://www.linkedin.com/in/m%C3%BCller',
  ],
  [
    'linkedin.com/company/Acme/about/',
    'linkedin',
    'organization',
    'https://www.linkedin.com/company/acme',
  ],
  [
    'https://www.linkedin.com/company-beta/123',
    'linkedin',
    'organization',
    'https://www.linkedin.com/company/123',
  ],
  [
    'https://www.linkedin.com/school/mit',
    'linkedin',
    'organization',
    'https://www.linkedin.com/school/mit',
  ],
  ['https://twitter.com/Acme?lang=en', 'twitter', 'unknown', 'https://x.com/acme'],
  ['https://mobile.twitter.com/@acme/', 'twitter', 'unknown', 'https://x.com/acme'],
  ['https://twitter.com/#!/acme', 'twitter', 'unknown', 'https://x.com/acme'],
  ['HTTPS://WWW.X.COM/Acme_1/with_replies', 'twitter', 'unknown', 'https://x.com/acme_1'],
  ['https://de-de.facebook.com/Acme.Tools/?ref=x', 'facebook', 'unknown', fb('acme.tools')],
  ['//m.facebook.com/acme/about', 'facebook', 'unknown', fb('acme')],
  ['https://www.facebook.com/pg/acme/posts/', 'facebook', 'unknown', fb('acme')],
  [
    'facebook.com/profile.php?id=100012345678',
    'facebook',
    'unknown',
    fb('profile.php?id=100012345678'),
  ],
  [
    'https://www.facebook.com/pages/Acme/123456789',
    'facebook',
    'unknown',
    fb('pages/acme/123456789'),
  ],
  [
    'https://www.facebook.com/p/Acme-Tools-61550000000/',
    'facebook',
    'unknown',
    fb('p/acme-tools-61550000000'),
  ],
  ['https://fb.com/acme', 'facebook', 'unknown', fb('acme')],
  [
    'http://instagram.com/Acme.Tools?igshid=x',
    'instagram',
    'unknown',
    'https://www.instagram.com/acme.tools',
  ],
  ['https://www.instagram.com/_u/acme/', 'instagram', 'unknown', 'https://www.instagram.com/acme'],
])('%s is a profile', (given, network, kind, url) => {
  expect(canonicalProfile(given)).toEqual({ network, kind, url });
});

test('each profile on a page is returned once, whether linked or written out', () => {
  const html =
    '<a href="https://www.linkedin.com/in/jane?trk=1">Jane</a> <a href="https://linkedin.com/in/Jane/">Jane</a>' +
    '<a href="https://twitter.com/share?url=x">Tweet</a> <svg><a href="https://x.com/none"></a></svg>' +
    '<p>Also linkedin.com/company/acme, netflix.com/in/x, www.acme-x.com/foo, https://x.com/acme and facebook.com/acme.</p>';
  const cards = readProfileLinks({
    url: 'https://acme.test/',
    html,
    page: openPage(html),
    region: null,
  });
  expect(cards.flatMap(({ profiles }) => profiles)).toEqual([
    'https://www.linkedin.com/in/jane',
    'https://www.linkedin.com/company/acme',
    'https://x.com/acme',
    'https://www.facebook.com/acme',
  ]);
  expect(cards[0]).toMatchObject({
    technique: 'profile-link',
    kind: 'page',
    offset: html.indexOf('https'),
  });
});

test('a page full of incomplete links takes linear time', () => {
  for (const html of ['x.com/'.repeat(3e5), 'linkedin.com/in/'.repeat(1e5), 'www.'.repeat(5e5)]) {
    const read = () =>
      readProfileLinks({ url: 'https://acme.test/', html, page: openPage(html), region: null });
    expect(cpuMsOf(read)).toBeLessThan(5_000);
  }
});
