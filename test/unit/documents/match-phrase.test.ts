import fc from 'fast-check';
import { expect, it } from 'vitest';

import { holdsPhrase, phraseForm } from '#src/documents/match-phrase.ts';

const holds = (text: string, phrase: string) => holdsPhrase(phraseForm(text), phraseForm(phrase));

it.each<[string, string]>([
  ['Reset the VPN client first.', 'vpn client'],
  ['a time-sharing system', 'time sharing'],
  ['a time sharing system', 'Time-Sharing'],
  ['first\n  line', 'first line'],
  ['set max_retries to 3', 'max retries'],
  ['release 3.11.2 is out', '3.11.2'],
  ['the user’s guide', "user's guide"],
  ['to be or not to be', 'or not to be'],
  ['Das Café Größe', 'café größe'],
  ['ｆｕｌｌ width', 'full width'],
  ['私は東京都に住む', '東京'],
  ['版本2の説明', '版本2の'],
  ['สวัสดีครับ', 'สวัสดี'],
])('%s holds "%s"', (text, phrase) => {
  expect(holds(text, phrase)).toBe(true);
});

it.each<[string, string]>([
  ['the client of the VPN', 'vpn client'],
  ['VPN clients', 'vpn client'],
  ['release 3.11.21', '3.11.2'],
  ['release 13.11.2', '3.11.2'],
  ['subreset the vpn', 'reset the vpn'],
  ['run', 'running'],
  ['anything', '...'],
  ['', 'word'],
])('%s does not hold "%s"', (text, phrase) => {
  expect(holds(text, phrase)).toBe(false);
});

it('every run of words of a text is held by it', () => {
  const word = fc.constantFrom('vpn', 'Reset', 'größe', '東京', '3.11', "it's", 'a-b', 'ß');
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.nat(), fc.nat(), (words, a, b) => {
      const from = a % words.length;
      const part = words.slice(from, from + 1 + (b % words.length));
      expect(holds(words.join(' '), part.join(', '))).toBe(true);
    }),
  );
});
