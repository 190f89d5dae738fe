import { describe, expect, it } from 'vitest';

import { nearWords, withoutDigraphs } from '#src/documents/search/near-words.ts';
import { parseQuery } from '#src/documents/search/parse-query.ts';
import { looseWords, replaceWords, wordPairs } from '#src/documents/search/query-words.ts';

describe('near words', () => {
  it.each<[string, string[], string[]]>([
    ['kuberntes', ['kubernetes', 'cybernetics', 'kuebernetes'], ['kubernetes', 'kuebernetes']],
    ['kündigung', ['kündigungen', 'kündigungs'], ['kündigungs', 'kündigungen']],
    ['smorebrod', ['smørrebrød'], ['smørrebrød']],
    ['aerzte', ['ärzte', 'arzte'], ['arzte', 'ärzte']],
    ['strase', ['straße', 'phrase'], ['straße']],
    ['отпуска', ['отпуск'], ['отпуск']],
    ['short', ['shroud'], []],
  ])('of %s among %j are %j', (word, words, expected) => {
    expect(nearWords(word, words).map((one) => one.word)).toEqual(expected);
  });

  it('are told apart from other inflections of the word, which come first', () => {
    expect(nearWords('kündigung', ['kundigunk', 'kündigungen'])).toEqual([
      { word: 'kündigungen', edits: 2, isInflection: true },
      { word: 'kundigunk', edits: 1, isInflection: false },
    ]);
    expect(nearWords('master', ['muster'])[0]?.isInflection).toBe(false);
  });

  it('are looked for without letters that were typed as two, except after a vowel', () => {
    expect(withoutDigraphs('gruessen')).toBe('grussen');
    expect(withoutDigraphs('smoerrebroed')).toBe('smorrebrod');
    expect(withoutDigraphs('steuererklaerung')).toBe('steuererklarung');
    expect(withoutDigraphs('queue')).toBeNull();
    expect(withoutDigraphs('harbour')).toBeNull();
  });
});

describe('words of a query', () => {
  it('that may be misspelt are those of the topic, loose and not excluded', () => {
    const query = parseQuery('please tell "quoted" words about hrases title:darft -excluded -x');
    expect(looseWords(query)).toEqual(['words', 'hrases', 'darft']);
  });

  it('make pairs where only spaces stand between them', () => {
    expect(wordPairs('kuber netes, io-timeout 24 pods').map(({ joined }) => joined)).toEqual([
      'kubernetes',
    ]);
  });

  it('are replaced one by one or in pairs, but not in quotes', () => {
    const by = new Map([
      ['kuber netes', 'kubernetes'],
      ['crsh', 'crash'],
    ]);
    expect(replaceWords('Kuber  Netes: "crsh" crsh, title:crsh kuber', by)).toBe(
      'kubernetes: "crsh" crash, title:crash kuber',
    );
  });
});
