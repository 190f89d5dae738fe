import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLeadSites } from '#test/support/read-lead-sites.ts';

const PAGE = `<h1>Anvil &amp; Sons</h1><p>info@anvil.example, 020 <b>7946</b> 0123`;
const LABEL = {
  id: 'anvil',
  kind: 'company',
  split: 'dev',
  languages: ['en'],
  host: 'www.anvil.example',
  start: '/',
  responses: { '/': { file: 'index.html' } },
  robots: null,
  organization: {
    names: ['Anvil & Sons'],
    emails: ['info@anvil.example'],
    phones: ['+442079460123'],
    linkedin: null,
    twitter: null,
    facebook: null,
    instagram: null,
  },
  persons: [],
  members: [],
  expected_state: 'done',
  traps: [],
};
const GUARDED = { file: 'index.html', requires_cookie: 'seen=1', otherwise: { status: 403 } };

function answers(more: object): object {
  return { ...LABEL.responses, '/more': more };
}

/** Cloudflare's obfuscation: every byte XORed with the first one. */
function cloudflareBytes(address: string): string {
  return Buffer.from([0, ...Buffer.from(address)].map((byte) => byte ^ 0x5a)).toString('hex');
}

it('the labels of the sites for lead extraction match their files', () => {
  expect(readLeadSites().map(({ id }) => id)).toContain('tarnbeck-chamber');
});

describe('a labelled site', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lead-sites-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** Writes the site above with other labels; the caller reads it. */
  function written(changes: object, folder = 'anvil', page = PAGE): () => unknown {
    mkdirSync(join(directory, folder));
    writeFileSync(join(directory, folder, 'index.html'), page);
    const label = { ...LABEL, id: folder, ...changes };
    writeFileSync(join(directory, folder, 'site.json'), JSON.stringify(label));
    return () => readLeadSites(directory);
  }

  it('is accepted when its labels match its files', () => {
    expect(written({})).not.toThrow();
  });

  it.each([
    ['a key that the format does not have', { note: 'new' }, /Unrecognized key: "note"/],
    ['a split that does not exist', { split: 'test' }, /split/],
    ['an id that is not the folder', { id: 'hammer' }, /its id is "hammer"/],
    ['a host that somebody could own', { host: 'anvil.com' }, /host/],
    ['a start without an answer', { start: '/de/' }, /nothing answers at start/],
    ['a file that is missing', { responses: answers({ file: 'more.html' }) }, /is missing/],
    ['an answer without file and status', { responses: answers({}) }, /Name a file or status/],
    ['an address without a link', { responses: answers({ status: 500 }) }, /leads to \/more/],
    ['a cookie that nothing sets', { responses: answers(GUARDED) }, /sets the cookie seen=1/],
    ['a trap that is also a fact', { traps: ['info@anvil.example'] }, /both a fact and a trap/],
    ['a trap that stands nowhere', { traps: ['Sales Team'] }, /trap "Sales Team" stands in no/],
  ])('is refused for %s', (_, changes, problem) => {
    expect(written(changes)).toThrow(problem);
  });

  it.each([
    ['an e-mail', { emails: ['sales@anvil.example'] }, /e-mail sales@anvil.example stands in no/],
    ['a phone', { phones: ['+442079460999'] }, /phone \+442079460999 stands in no/],
    ['a name', { names: ['Anvil Ltd'] }, /name "Anvil Ltd" stands in no/],
    ['a profile', { facebook: 'https://www.facebook.com/anvilworks' }, /anvilworks stands in no/],
  ])('is refused for %s that no file has', (_, changes, problem) => {
    expect(written({ organization: { ...LABEL.organization, ...changes } })).toThrow(problem);
  });

  it.each([
    ['a phone that is valid nowhere', { phones: ['+4412345678'] }, /\+4412345678 is not valid/],
    ['a phone in another form', { phones: ['020 7946 0123'] }, /Write it as E.164/],
    ['an e-mail of a domain that can be bought', { emails: ['a@anvil.com'] }, /a@anvil.com is n/],
    ['an e-mail in capitals', { emails: ['Info@anvil.example'] }, /Write it in small letters/],
  ])('is refused for %s', (_, changes, problem) => {
    expect(written({ organization: { ...LABEL.organization, ...changes } })).toThrow(problem);
  });

  it.each([
    ['with an extension', '(020) 7946-0, room 7: -0123'],
    ['without an area code', 'Ring 7946-0123'],
  ])('is accepted when its phone stands there %s', (_, phone) => {
    const page = PAGE.replace('020 <b>7946</b> 0123', phone);
    expect(written({}, 'anvil', page)).not.toThrow();
  });

  it('is refused for a file that no response names', () => {
    const reading = written({});
    writeFileSync(join(directory, 'anvil', 'left-over.html'), PAGE);
    expect(reading).toThrow('no answer names the file left-over.html');
  });

  it('is refused for the host of another site', () => {
    written({});
    expect(written({ host: 'anvil.example' }, 'hammer')).toThrow(/share the host anvil.example/);
  });

  it.each([
    ['entities', 'i&#110;fo&#x40;anvil&period;example'],
    ['words', 'info [at] anvil (dot) example'],
    ['a hidden element', 'info<span hidden>-spam-</span>@<b>anvil</b>.example'],
    ['markup', 'info<i>@</i>anvil.<wbr>example'],
    ['a script', '<script>var m = "info" + "\\u0040" + "anvil.example"</script>'],
    ['base64', '<a data-mail="aW5mb0BhbnZpbC5leGFtcGxl">'],
    ['rot13', 'vasb@naivy.rknzcyr'],
    ['reversed letters', '<bdo dir="rtl">elpmaxe.livna@ofni</bdo>'],
    ['attributes', '<a data-user="info" data-host="anvil.example">'],
    ["TYPO3's letters", `<a href="javascript:linkTo_UnCryptMailto('ocknvq,kphqBcpxkn0gzcorng');">`],
    ["Cloudflare's bytes", `<a data-cfemail="${cloudflareBytes('info@anvil.example')}">`],
  ])('is accepted when its e-mail stands behind %s', (_, disguise) => {
    const page = PAGE.replace('info@anvil.example', disguise);
    expect(written({}, 'anvil', page)).not.toThrow();
  });
});
