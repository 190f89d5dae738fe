import { describe, expect, test } from 'vitest';
import { readVCards } from '#src/leads/extract/vcard.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const MOST_MS = 10_000;
const URL = 'https://acme.example/jane.vcf';
const card = (...lines: string[]): string =>
  ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n');
const read = (text: string) => readVCards(text, URL);

describe('hostile or misleading vCards', () => {
  test.each([
    ['cards inside cards', 'BEGIN:VCARD\r\nAGENT:\r\n'.repeat(100_000)],
    ['cards without an end', 'BEGIN:VCARD\nFN:Jane Doe\n'.repeat(100_000)],
    ['one line of 5 MB', `BEGIN:VCARD\nFN:${'a'.repeat(5_000_000)}`],
    ['folds', `BEGIN:VCARD\nNOTE:a${'\n a'.repeat(1_500_000)}`],
    ['soft breaks', `BEGIN:VCARD\nNOTE;QUOTED-PRINTABLE:a${'=\na'.repeat(1_500_000)}`],
    ['escapes', `BEGIN:VCARD\nN:${'\\;'.repeat(2_500_000)}`],
    ['semicolons', `BEGIN:VCARD\nN${';'.repeat(5_000_000)}`],
    ['quotes', `BEGIN:VCARD\nTEL;TYPE="${'"'.repeat(5_000_000)}`],
    ['line breaks', '\r\n'.repeat(2_500_000)],
    ['lines without a colon', 'a\n'.repeat(2_500_000)],
  ])('are processed in time: %s', (_, text) => {
    expect(cpuMsOf(() => read(text))).toBeLessThan(MOST_MS);
  });

  test('yield nothing when invalid, empty or made only of images', () => {
    expect(read('')).toEqual([]);
    expect(read('<html><p>FN:Jane Doe</p></html>')).toEqual([]);
    expect(read('FN:Jane Doe\nEMAIL:jane@acme.example\n')).toEqual([]);
    expect(read(card('VERSION:3.0', 'FN:', 'N:;;;;', 'EMAIL:', 'TEL:'))).toEqual([]);
    expect(read(card('PHOTO;ENCODING=BASE64:RW1haWw6', ' amFuZUBhY21l', '', 'KEY:x'))).toEqual([]);
  });

  test('without an end are closed by the next one or the end of the file', () => {
    const cards = read('BEGIN:VCARD\nFN:Jane Doe\nBEGIN:VCARD\nFN:Jo Li\n');
    expect(cards.map((read) => read.name)).toEqual(['Jane Doe', 'Jo Li']);
  });

  test('in an unknown charset are read as UTF-8', () => {
    expect(read(card('FN;CHARSET=x-none;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg M'))[0]?.name).toBe(
      'Jörg M',
    );
  });

  test('do not turn a fax or a pager into a phone number', () => {
    const text = card(
      'FN:Jane Doe',
      'TEL;FAX:+1 217 555 0199',
      'TEL;TYPE=work,pager:+1 217 555 0198',
      'TEL;TYPE="voice,fax":+1 217 555 0100',
    );
    expect(read(text)[0]?.phones).toEqual(['+12175550100']);
  });
});

test('a version 2.1 card has quoted-printable text, soft breaks and types without names', () => {
  const text = card(
    'VERSION:2.1',
    'N;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;J=F6rg',
    'FN;CHARSET=ISO-8859-1;QUOTED-PRINTABLE:J=F6rg =',
    'M=FCller',
    'ORG:Acme;Sales',
    'TITLE:Head of',
    ' Sales',
    'TEL;WORK;VOICE:+49 30 1234567',
    'EMAIL;INTERNET:joerg@acme.example',
    'PHOTO;JPEG;ENCODING=BASE64:',
    ' /9j/4AAQSkZJRgABAQEA',
    ' Uk46Sm8gTGk=',
    '',
    'NOTE;ENCODING=QUOTED-PRINTABLE:one=0D=0Atwo',
  );
  expect(read(text)).toEqual([
    {
      technique: 'vcard',
      kind: 'person',
      entity: null,
      name: 'Jörg Müller',
      title: 'Head of Sales',
      company: 'Acme',
      emails: ['joerg@acme.example'],
      phones: ['+49301234567'],
      profiles: [],
      website: null,
      description: 'one two',
      address: null,
      offset: 0,
    },
  ]);
});

test('a version 3.0 card has groups, folds, escapes and profiles', () => {
  const text = card(
    'VERSION:3.0',
    'N:Doe;Jane;;Dr.;',
    'FN:Jane Doe',
    String.raw`ORG:Acme\, Inc.;R\;D`,
    'ROLE:Chief ',
    ' Engineer',
    'item1.EMAIL;type=INTERNET:second@acme.example',
    'EMAIL;type=INTERNET,PREF:jane@acme.example',
    'item1.X-ABLabel:work',
    'TEL;TYPE=CELL:(217) 555-0100',
    'ADR;TYPE=WORK:;;1 Main St;Springfield;IL;62701;United States',
    'URL:https://www.linkedin.com/in/jane-doe',
    String.raw`URL:https\://jane.example/`,
    'X-SOCIALPROFILE;type=twitter;x-user=JaneDoe:x-apple:janedoe',
    'X-SOCIALPROFILE;type=linkedin:http://www.linkedin.com/company/acme',
    String.raw`NOTE:Likes bolts\, nuts\nand screws.`,
  );
  expect(read(text)[0]).toMatchObject({
    name: 'Jane Doe',
    title: 'Chief Engineer',
    company: 'Acme, Inc.',
    emails: ['jane@acme.example', 'second@acme.example'],
    phones: ['+12175550100'],
    profiles: ['https://x.com/janedoe', 'https://www.linkedin.com/in/jane-doe'],
    website: 'https://jane.example/',
    description: 'Likes bolts, nuts and screws.',
    address: {
      street: '1 Main St',
      postalCode: '62701',
      locality: 'Springfield',
      region: 'IL',
      country: 'United States',
    },
  });
});

test('a version 4.0 card has tel: addresses, kinds and preferences', () => {
  const text = `\uFEFF${card(
    'VERSION:4.0',
    'KIND:org',
    'FN:Acme',
    'EMAIL;PREF=2:b@acme.example',
    'EMAIL;PREF=1:mailto:a@acme.example',
    'TEL;VALUE=uri;TYPE="voice,work":tel:+1-217-555-0100;ext=102',
    'SOCIALPROFILE;SERVICE-TYPE=Twitter;VALUE=text:acme',
    'ADR;LABEL="1 Main St: back; door":;;1 Main St;Springfield;IL;62701;',
  )}`;
  expect(read(text)[0]).toMatchObject({
    kind: 'organization',
    entity: null,
    name: 'Acme',
    emails: ['a@acme.example', 'b@acme.example'],
    phones: ['+12175550100'],
    profiles: ['https://x.com/acme'],
    address: { street: '1 Main St', postalCode: '62701' },
  });
});

test('every card in a file is read, including an agent’s inside another', () => {
  const agent = 'AGENT:\nBEGIN:VCARD\nFN:Jo Li\nEND:VCARD';
  const text = `${card('FN:Jane Doe', agent, 'TITLE:CEO')}\n${card('ORG:Acme', 'TEL:+1 217 555 0100')}`;
  expect(read(text).map(({ name, kind, title }) => [name, kind, title])).toEqual([
    ['Jo Li', 'person', null],
    ['Jane Doe', 'person', 'CEO'],
    ['Acme', 'organization', null],
  ]);
});

test('a number without a prefix belongs to the given region', () => {
  expect(readVCards(card('FN:Jane Doe', 'TEL:030 1234567'), URL, 'DE')[0]?.phones).toEqual([
    '+49301234567',
  ]);
});
