import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseQuery } from '#src/documents/search/parse-query.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

/** What a query comes to, in a line: words to rank by, then its conditions. */
const read = (query: string) => {
  const { text, conditions } = parseQuery(query);
  return [
    text,
    ...conditions.map(
      ({ isExcluded, isTitle, isPhrase, text: words }) =>
        `${isExcluded ? 'not ' : ''}${isTitle ? 'title ' : ''}${isPhrase ? 'phrase ' : ''}${words}`,
    ),
  ];
};

describe('a query', () => {
  it.each<[string, string[]]>([
    ['vpn reset', ['vpn reset']],
    ['"vpn reset" guide', ['vpn reset guide', 'phrase vpn reset']],
    ['vpn -legacy', ['vpn', 'not legacy']],
    ['vpn -"old client"', ['vpn', 'not phrase old client']],
    ['title:vpn reset', ['vpn reset', 'title vpn']],
    ['TITLE:vpn', ['vpn', 'title vpn']],
    ['title:"vpn guide" reset', ['vpn guide reset', 'title phrase vpn guide']],
    ['reset -title:draft', ['reset', 'not title draft']],
    ['reset -title:"first draft"', ['reset', 'not title phrase first draft']],
    [
      '“vpn reset” „neu starten“ «от нуля»',
      ['vpn reset neu starten от нуля', 'phrase vpn reset', 'phrase neu starten', 'phrase от нуля'],
    ],
    ['"日本語" -東京', ['日本語', 'phrase 日本語', 'not 東京']],
    ['vpn –legacy −old', ['vpn', 'not legacy', 'not old']],
  ])('%s is read as %j', (query, expected) => {
    expect(read(query)).toEqual(expected);
  });

  it('keeps a hyphen inside a word, and one that stands alone', () => {
    expect(read('time-sharing - a history')).toEqual(['time-sharing - a history']);
    expect(read('docker run --detach -')).toEqual(['docker run --detach -']);
    expect(read('C++ "x"-b')).toEqual(['C++ x -b', 'phrase x']);
  });

  it('takes a word before a colon for an operator only if it is title', () => {
    expect(read('https://wiki.test/a subtitle:x error:42')).toEqual([
      'https://wiki.test/a subtitle:x error:42',
    ]);
  });
});

describe('a malformed query', () => {
  it.each<[string, string[]]>([
    ['"vpn reset', ['vpn reset']],
    ['"vpn reset" "guide', ['vpn reset guide', 'phrase vpn reset']],
    ['vpn -"old client', ['vpn client', 'not old']],
    ['title:"vpn guide', ['vpn guide', 'title vpn']],
    ['"" vpn', ['vpn']],
    ['"..." vpn', ['vpn']],
    ['title: vpn', ['title: vpn']],
    ['title:', ['title:']],
    ['-title:', ['', 'not title:']],
    ['a 13"monitor', ['a 13 monitor']],
    ['-', ['-']],
    ['"', ['']],
    ['-legacy', ['', 'not legacy']],
    ['-legacy -"old client"', ['', 'not legacy', 'not phrase old client']],
  ])('%s is read as %j', (query, expected) => {
    expect(read(query)).toEqual(expected);
  });

  it('demands a phrase of a few words, not of a sentence', () => {
    const eight = 'which of the two clients supports a reset';
    expect(read(`${eight} "vpn guide"`)).toEqual([`${eight} vpn guide`, 'phrase vpn guide']);
    expect(read(`${eight} now "vpn guide"`)).toEqual([`${eight} now vpn guide`]);
    expect(read(`${eight} now -"vpn guide"`)).toEqual([`${eight} now`, 'not phrase vpn guide']);
    expect(read(`${eight} now title:"vpn guide"`)).toEqual([
      `${eight} now vpn guide`,
      'title phrase vpn guide',
    ]);
  });

  it('never fails, and no word of it is lost', () => {
    const piece = fc.constantFrom('"', '-', 'title:', ' ', 'vpn', 'é', '\u0301', '“', 'a-b', '\n');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const { text, conditions } = parseQuery(pieces.join(''));
        const kept = [text, ...conditions.map((one) => one.text)].join(' ');
        for (const word of ['vpn', 'é']) {
          expect(kept.includes(word) || !pieces.join('').includes(word)).toBe(true);
        }
      }),
    );
  });

  it('of many quotes is read in no time', () => {
    const cpuMs = cpuMsOf(() => parseQuery(`${'-"title:'.repeat(100_000)}`));
    expect(cpuMs).toBeLessThan(2_000);
  });
});
