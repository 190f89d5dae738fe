import { describe, expect, it } from 'vitest';

import { splitUnits } from '#src/chat/extract/split-units.ts';

const textsOf = (text: string): string[] => splitUnits(text).map((unit) => unit.text);

describe('a definition list', () => {
  const list = [
    '## Ropes',
    '',
    'Bollard',
    ': A short post on the quay. Ropes are tied to it.',
    '',
    '  It is made of iron.',
    '',
    'Cleat',
    ': A fitting with two horns.',
    '',
    'All of them rust.',
  ].join('\n');

  it('labels what explains a term with it', () => {
    expect(splitUnits(list).map(({ term, text }) => [term, text])).toEqual([
      ['Bollard', 'Bollard: A short post on the quay.'],
      ['Bollard', 'Ropes are tied to it.'],
      ['Bollard', 'It is made of iron.'],
      ['Cleat', 'Cleat: A fitting with two horns.'],
      ['', 'All of them rust.'],
    ]);
  });

  it('is under its heading, with a section for each term', () => {
    const units = splitUnits(list);
    expect(new Set(units.map(({ heading }) => heading))).toEqual(new Set(['Ropes']));
    const sections = Map.groupBy(units, ({ section }) => section);
    expect([...sections.values()].map((section) => section.length)).toEqual([3, 1, 1]);
  });

  it('is none when more than a line precedes the colon', () => {
    expect(splitUnits('Tie it here\nand there\n: twice.').map(({ term }) => term)).toEqual(['']);
  });
});

it('a sentence does not end at the initials of a name', () => {
  expect(textsOf('It was led by Ada K. Larsen for years. Then she left.')).toEqual([
    'It was led by Ada K. Larsen for years.',
    'Then she left.',
  ]);
  expect(textsOf('Take vitamin C. Then rest.')).toEqual(['Take vitamin C.', 'Then rest.']);
});

it('HTML elements in Markdown are not shown, unless they are code', () => {
  expect(textsOf('| <a id="e12">E12</a> | Sold<br>out |')).toEqual(['E12: Sold out']);
  expect(textsOf('Write `<br>` for a new line.')).toEqual(['Write `<br>` for a new line.']);
});

it('entries of a table of contents are no units', () => {
  expect(
    textsOf('- [Ropes](#ropes)\n- [`Knots`](#knots)\n- [Sails](sails.md)\n- See [Oars](#oars).'),
  ).toEqual(['Sails', 'See Oars.']);
});

describe('front matter', () => {
  const page = (fields: string): string => `---\n${fields}\n---\n\n# Hatch\n\nText.`;

  it('is read for what it says of the page', () => {
    expect(
      splitUnits(page('title: hatch-open\nsection: 1\ndescription: "Open a hatch"'))[0],
    ).toMatchObject({
      term: 'hatch-open',
      text: 'hatch-open: Open a hatch',
    });
    expect(textsOf(page('summary: Open a hatch'))).toEqual(['Open a hatch', 'Text.']);
    expect(textsOf(page('author: Ada\ndate: 2024-01-01'))).toEqual(['Text.']);
  });

  it('is none when lines without names stand between the rules', () => {
    expect(textsOf('---\nOnly a text.\n---\n\nText.')).toEqual(['Only a text.', 'Text.']);
  });
});
