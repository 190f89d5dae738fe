import { describe, expect, it } from 'vitest';

import { extractAnswer } from '#src/chat/extract/extract-answer.ts';
import { toSources } from '#src/chat/extract/to-sources.ts';
import type { WordCounts } from '#src/documents/search/read-passages.ts';
import { fakeHit } from '#test/support/fake-hit.ts';

/** The first quote, or null when nothing is quoted. */
function first(
  question: string,
  text: string | readonly string[],
  { before = null, counts = null }: { before?: string | null; counts?: WordCounts | null } = {},
): string | null {
  const hits = [text].flat().map((one, at) => fakeHit(`d${at}`, one));
  const quotes = extractAnswer({ question, before, counts }, toSources(hits, []));
  return quotes[0]?.text ?? null;
}

describe('a question about a number', () => {
  it('is answered by a number of the thing asked for', () => {
    const asked = 'How many kettles do we have?';
    expect(first(asked, 'The kettles boil within four minutes.')).toBeNull();
    expect(first(asked, 'See table 12 for kettles.')).toBeNull();
    expect(first(asked, 'One of the kettles leaks.')).toBeNull();
    expect(first(asked, 'There are four old kettles in the kitchen.')).toMatch(/four/);
    expect(first(asked, '| Thing | Number |\n|---|---|\n| Kettles | 4 |')).toMatch(/4/);
    expect(first(asked, 'A floor may have only one kettle.')).toMatch(/only one/);
  });

  it('about how often is answered by a frequency', () => {
    const asked = 'How often are the ledgers rotated?';
    expect(first(asked, 'The ledgers are rotated by the clerk.')).toBeNull();
    expect(first(asked, 'The ledgers are rotated daily.')).toMatch(/daily/);
    expect(first(asked, 'The ledgers are rotated every 24 hours.')).toMatch(/24/);
  });

  it('about how far ahead is no distance', () => {
    const asked = 'How far ahead must I book the sauna?';
    expect(first(asked, 'Book the sauna two days ahead.')).toMatch(/two days/);
  });

  it('counts what follows "how many of my", and nothing that is only to be seen', () => {
    const asked = 'How many of my old passwords are barred?';
    expect(first(asked, 'The last 24 passwords are barred, however old.')).toMatch(/24/);
    const shown = 'The visitors of your page are shown under Insights.';
    expect(first('How do I see how many visitors my page has?', shown)).toMatch(/Insights/);
  });

  it('of a phone is not answered by a date', () => {
    const asked = 'What is the phone number of the office?';
    expect(first(asked, 'The office opened 6/15/2021 with a phone.')).toBeNull();
    expect(first(asked, 'The phone number of the office is 020 7946 0018.')).toMatch(/7946/);
  });

  it('tolerates a typo in the thing counted', () => {
    expect(first('How many kettels do we have?', 'There are four kettles here.')).toMatch(/four/);
  });

  it('may count people by what they are', () => {
    const asked = 'How many people work at the mill?';
    expect(first(asked, 'The mill has about fifty workers.')).toMatch(/fifty/);
    expect(first(asked, 'The mill has fifty saws.')).toBeNull();
  });

  it('about the cost of something is answered by an amount of money', () => {
    const asked = 'How much does the sauna cost?';
    expect(first(asked, 'The sauna cost us nerves. It has two benches.')).toBeNull();
    expect(first(asked, 'The sauna is £3.50 a visit.')).toMatch(/3\.50/);
    expect(first(asked, 'The sauna is free of charge.')).toMatch(/free/);
    expect(first(asked, '| Place | Price |\n|---|---|\n| Sauna | 12 |')).toMatch(/12/);
    expect(first('What does a sauna cost?', 'Sauna hash: $2y$05$c4WoMPo3SXsafkva.')).toBeNull();
  });

  it('is answered in kilograms for a weight and in meters for a height', () => {
    expect(first('How heavy may a parcel be?', 'A parcel has at most 30 kg.')).toMatch(/30 kg/);
    expect(first('How heavy may a parcel be?', 'A parcel has at most 30 labels.')).toBeNull();
    expect(first('How tall is the mast?', 'The mast rises 40 metres.')).toMatch(/40/);
  });

  it('needs digits for a telephone number and a duration for how long', () => {
    const phone = 'What is the phone number of the porter?';
    expect(first(phone, 'The phone number of the porter hangs at the door.')).toBeNull();
    expect(first(phone, 'The porter has the phone number 030 555 0199.')).toMatch(/0199/);
    expect(first(phone, 'Phone number: porter a5b115311855adb0789c.')).toBeNull();
    const long = 'How long does it take to bleach a carpet?';
    expect(first(long, 'To bleach a carpet, use version 3 of the machine.')).toBeNull();
    expect(first(long, 'To bleach a carpet takes two hours.')).toMatch(/two hours/);
  });

  it('does not match a different number that contains the one asked about', () => {
    const asked = 'When is release 20 of the planner due?';
    expect(first(asked, 'Planner release 15.20 is due in May.')).toBeNull();
    expect(first(asked, 'Planner release 20 is due in May.')).toMatch(/May/);
    expect(first('When was planner 1.0 finished?', 'Planner 1.5 was finished in 2010.')).toBeNull();
    const counts = {
      passages: 100,
      holding: new Map([
        ['planner', 60],
        ['releas', 3],
      ]),
    };
    const archive = 'After that, planner-1.0.0.tgz holds the planner.';
    expect(first('When was planner 1.0 released?', archive, { counts })).toBeNull();
  });

  it('matches it with or without commas between groups of digits', () => {
    const comma = 'A box with 1,500 bolts is blue.';
    expect(first('Which box has 1500 bolts?', comma)).toMatch(/blue/);
    expect(first('Which box has 1,500 bolts?', 'A box with 1500 bolts is blue.')).toMatch(/blue/);
    expect(first('Which box has 500 bolts?', comma)).toBeNull();
    expect(first('Which box has 1500 bolts?', 'A box with 1,50 bolts is blue.')).toBeNull();
  });

  it('needs an amount of time for how many days or years', () => {
    const asked = 'How many days is a parcel kept?';
    expect(first(asked, 'On other days a parcel is kept in room 12.')).toBeNull();
    expect(first(asked, 'A parcel is kept for 14 days.')).toMatch(/14/);
    expect(first(asked, 'Parcel kept, in days: 14.')).toMatch(/14/);
    expect(first(asked, '| Kept | Days |\n|---|---|\n| Parcel | 14 |')).toMatch(/14/);
  });

  it('needs a date for when something was or happened', () => {
    const asked = 'When was the harbour crane painted?';
    expect(first(asked, 'The harbour crane was painted by a crew of 12.')).toBeNull();
    expect(first(asked, 'The harbour crane was painted when we may not look.')).toBeNull();
    expect(first(asked, 'The harbour crane was painted in 1998.')).toMatch(/1998/);
    expect(first(asked, 'The harbour crane was painted in May.')).toMatch(/May/);
    expect(first(asked, 'The harbour crane was painted last Monday.')).toMatch(/Monday/);
    expect(first('When is the crane painted?', 'The crane is painted in dry weather.')).toMatch(
      /dry/,
    );
  });
});

/** As many hits as tell whether the best one leads. */
const TEN = 10;

describe('whether the documents answer', () => {
  const text = 'The purser sells tickets for cabins and seats on deck.';
  const stems = ['purser', 'sell', 'ticket', 'cabin', 'seat'];
  const holding = new Map(stems.map((stem) => [stem, 9]));
  const counts = { passages: 400, holding: new Map([...holding, ['hammock', 1]]) };

  it('takes many covered words, or all of few', () => {
    const asked = 'Which purser sells tickets for cabins, seats and hammocks?';
    expect(first(asked, text, { counts })).toMatch(/purser/);
    const alike = Array(TEN).fill(text);
    expect(first('Which purser sells hammocks?', alike, { counts })).toBeNull();
    expect(first('Which purser sells tickets?', alike, { counts })).toMatch(/purser/);
  });

  it('takes more words when all hits are alike', () => {
    const asked = 'Which purser sells tickets and hammocks?';
    const ofScores = (scores: readonly number[]): number =>
      extractAnswer(
        { question: asked, before: null, counts },
        toSources(
          scores.map((score, at) => ({ ...fakeHit(`d${at}`, text), score })),
          [],
        ),
      ).length;
    expect(ofScores(Array(TEN).fill(0.9))).toBe(0);
    expect(ofScores([0.9, ...Array(TEN).fill(0.2)])).toBeGreaterThan(0);
  });

  it('takes less when the action is what is missing', () => {
    const rare = { passages: 400, holding: new Map([...holding, ['haggl', 1]]) };
    const haggle = 'How do I haggle with the purser for tickets for cabins and seats on deck?';
    expect(first(haggle, text, { counts: rare })).toMatch(/purser/);
    const bell = ['brass', 'bell', 'harbour'].map((stem): [string, number] => [stem, 9]);
    const words = { passages: 400, holding: new Map([...bell, ['polish', 1]]) };
    const cleaned = 'The brass bell of the harbour is cleaned by Ada Finch.';
    const who = 'Who polishes the brass bell of the harbour?';
    expect(first(who, cleaned, { counts: words })).toMatch(/Ada/);
  });
});

describe('the action that a question asks how to do', () => {
  const text = 'Discs of the archive are kept in the cellar.';
  const known = ['disc', 'archiv', 'rip', 'keep'].map((stem): [string, number] => [stem, 9]);
  const counts = { passages: 400, holding: new Map(known) };

  it('must be near when all hits are alike', () => {
    const alike = Array(TEN).fill(text);
    expect(first('How do I rip discs of the archive?', alike, { counts })).toBeNull();
    expect(first('Do you rip discs of the archive?', alike, { counts })).toBeNull();
    expect(first('How do I keep discs of the archive?', text, { counts })).toMatch(/cellar/);
    const beside = [text, 'To rip one, ask Ada Finch.'].join(' ');
    expect(first('How do I rip discs of the archive?', beside, { counts })).toMatch(/Discs/);
  });

  it('is not asked for by the verb that ends another question', () => {
    expect(first('Which discs of the archive does Ada rip?', text, { counts })).toBeNull();
    expect(first('Which discs does the archive rip?', text, { counts })).toMatch(/cellar/);
  });
});

describe('a word of the question', () => {
  it('does not match another verb with the same form', () => {
    expect(first('Who founded Larkspur?', 'Whoever found Larkspur closed may ring.')).toBeNull();
    expect(first('Who founded Larkspur?', 'Ada Finch founded Larkspur.')).toMatch(/Ada/);
    expect(first('Who found the key?', 'Ada Finch found the key.')).toMatch(/Ada/);
  });

  it('does not match a part of itself: an iPhone is not a phone', () => {
    expect(first('Is there an iPhone holder?', 'There is a phone holder.')).toBeNull();
  });

  it('for how something is done may be another in the documents, for a thing it may not', () => {
    const text = 'The vault is unlocked with the brass key. The porter has it.';
    expect(first('Which key unlocks the vault smoothly without damage?', text)).toMatch(/brass/);
    expect(first('Which trombone unlocks the vault smoothly?', text)).toBeNull();
  });

  it('that appears in no document outweighs a name that does', () => {
    const counts = {
      passages: 40,
      holding: new Map([
        ['tern', 1],
        ['harbour', 1],
      ]),
    };
    const text = 'The office is in Tern Harbour.';
    const alike = Array(TEN).fill(text);
    expect(first('Who is the sheriff of Tern Harbour?', alike, { counts })).toBeNull();
    expect(first('Where is the office of Tern Harbour?', text, { counts })).toMatch(/office/);
  });

  it('may be paraphrased when it is the verb at the end', () => {
    const text = 'Its paper filter lets through particles of at most two microns.';
    const asked = 'Which particles does the paper filter tolerate?';
    const counts = {
      passages: 100,
      holding: new Map(['particl', 'paper', 'filter'].map((stem) => [stem, 2])),
    };
    expect(first(asked, text, { counts })).toMatch(/two microns/);
  });

  it('may be clipped in one place and whole in the other', () => {
    expect(first('Where is the lab?', 'The laboratory is in the mill.')).toMatch(/mill/);
    expect(first('Where is the laboratory?', 'The lab is in the mill.')).toMatch(/mill/);
  });

  it('may lack a letter', () => {
    expect(first('Where do stoln bikes go?', 'Stolen bikes go to the police.')).toMatch(/police/);
  });

  it('counts less in code, where it may be a variable', () => {
    const code =
      '```sh\nexport SERVER=http://localhost\ncurl -F file=@report.pdf "$SERVER/chat"\n```';
    const holding = new Map(Object.entries({ export: 9, chat: 9, spreadsheet: 60 }));
    const counts = { passages: 100, holding };
    const asked = 'How do I export a chat to a spreadsheet?';
    expect(first(asked, code, { counts })).toBeNull();
    expect(first(asked, 'Press "Export" in the chat.', { counts })).toMatch(/Press/);
  });
});

describe('a question that refers to the previous one', () => {
  it('is not answered by a sentence that answers only the previous one', () => {
    const text = 'The choir of Larkspur is led by Ada Finch since 1999.';
    const before = 'Who has led the choir of Larkspur since 1999?';
    const stems = ['choir', 'larkspur', 'led', '1999', 'old', 'year'];
    const counts = { passages: 100, holding: new Map(stems.map((stem) => [stem, 9])) };
    expect(first('And how old is she?', text, { before, counts })).toBeNull();
    expect(first('And since which year?', text, { before, counts })).toMatch(/1999/);
  });
});

describe('the definition of a word', () => {
  it('is its expansion in brackets, a sentence naming it, or its glossary entry', () => {
    const noise = 'To use BREW, a table needs BREW columns. Only some types support BREW.';
    expect(
      first('What is BREW?', [noise, 'This page is about BREW (Boiled Row Storage).']),
    ).toMatch(/Boiled/);
    const guests = 'Guests hold each dallah by its handle, and dallahs get hot.';
    const known = 'A small pot, known as a dallah, pours coffee.';
    expect(first('What is a dallah?', [guests, known])).toMatch(/pours/);
    const entry = 'Dallah\n: A pot with a long spout.\n\nSee also the dallah shelf.';
    expect(first('What is a dallah?', ['The dallah shelf is for dallah lids.', entry])).toMatch(
      /long spout/,
    );
  });

  it('has all that was asked for as its subject', () => {
    const counts = { passages: 100, holding: new Map(Object.entries({ cargo: 9, hatch: 1 })) };
    const asked = 'What is a cargo hatch?';
    expect(first(asked, 'Cargo is stowed below the hatch.', { counts })).toBeNull();
    expect(first(asked, 'A cargo hatch is a door.', { counts })).toMatch(/door/);
  });

  it('need not repeat its heading', () => {
    const counts = { passages: 100, holding: new Map(Object.entries({ signal: 9, k7: 1 })) };
    const text = '# Signals\n\n`K7` means that a diver is below. `K9` means that all is well.';
    expect(first('What does signal K7 mean?', text, { counts })).toMatch(/diver/);
  });

  it('may also be prose with brackets', () => {
    const text = [
      'The gate (`gate`) (a word) : 8 turns it.',
      'A gate turns slowly, as a gate does.',
    ];
    expect(first('gate turns', text)).toMatch(/8 turns/);
  });
});
