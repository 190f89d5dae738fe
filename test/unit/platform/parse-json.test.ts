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
    ['nothing of what strings hold', '["[[[,,,{{{"]', 2],
    ['a quote in a string', '["\\",,,",1]', 3],
    ['backslashes before the end of a string', '["\\\\",1,"\\\\\\",,"]', 4],
    ['letters of several bytes', '["字,é","\u{1F600},"]', 3],
  ])('counts %s', (_, json, values) => {
    expect(weigh(json, values)).toBe('light');
    expect(weigh(json, values - 1)).toBe('PAYLOAD_TOO_LARGE');
  });

  it('is at least what the parsed value holds', () => {
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

  it('refuses what is nested deeper than anybody means', () => {
    expect(weigh('['.repeat(200) + ']'.repeat(200), 1_000)).toBe('light');
    expect(weigh('['.repeat(201), 1_000)).toBe('BAD_REQUEST');
  });

  it('lets pass what is no JSON, for the parser to say so', () => {
    for (const text of ['', '"', '"\\', '}]', '\xff']) expect(weigh(text, 3)).toBe('light');
  });
});
