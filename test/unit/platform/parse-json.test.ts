import { describe, expect, it } from 'vitest';
import { Problem } from '#src/platform/errors.ts';
import { weighJson } from '#src/platform/parse-json.ts';

function weigh(json: string, maxValues: number): string {
  try {
    weighJson(Buffer.from(json), maxValues);
    return 'light';
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

describe('the weight of JSON', () => {
  it.each([
    ['a list', '[1,2,3]', 4],
    ['lists in lists', '[[],[],[[]]]', 8],
    ['fields', '{"a":1,"b":{"c":2}}', 4],
    ['nothing inside strings', '["[[[,,,{{{"]', 2],
    ['a quote in a string', '["\\",,,",1]', 3],
    ['backslashes before the end of a string', '["\\\\",1,"\\\\\\",,"]', 4],
    ['multibyte characters', '["字,é","\u{1F600},"]', 3],
  ])('counts %s', (_, json, values) => {
    expect(weigh(json, values)).toBe('light');
    expect(weigh(json, values - 1)).toBe('PAYLOAD_TOO_LARGE');
  });

  it('is never less than that of the parsed value', () => {
    const count = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum: number, part) => sum + count(part), 1)
        : 1;
    for (const json of ['[[1,[2]],{"a":[3,{}]}]', '{"a":"x\\"","b":["\\\\",{"c":null}]}']) {
      // Empty lists and objects count twice.
      expect(weigh(json, 2 * count(JSON.parse(json)))).toBe('light');
      expect(weigh(json, count(JSON.parse(json)) - 1)).toBe('PAYLOAD_TOO_LARGE');
    }
  });

  it('is refused when nesting exceeds any sensible depth', () => {
    expect(weigh('['.repeat(200) + ']'.repeat(200), 1_000)).toBe('light');
    expect(weigh('['.repeat(201), 1_000)).toBe('BAD_REQUEST');
  });

  it('ignores invalid JSON, which the parser reports', () => {
    for (const text of ['', '"', '"\\', '}]', '\xff']) expect(weigh(text, 3)).toBe('light');
  });
});
