import { decodeBase64, decodePercent, decodeRot13 } from './decode-text.ts';
import { applyTextMethod, type Made } from './text-methods.ts';
import { scriptTokens, type ScriptToken } from './script-tokens.ts';

/** Nesting of calls and brackets. */
const MAX_DEPTH = 8;
/** For all texts together. */
const MAX_MADE_LENGTH = 1_000_000;
const MAX_STRING_LENGTH = 20_000;
const DECODERS: ReadonlyMap<string, (text: string) => string | null> = new Map([
  ['unescape', decodePercent],
  ['decodeURIComponent', decodePercent],
  ['decodeURI', decodePercent],
  ['atob', decodeBase64],
  ['rot13', decodeRot13],
]);
/** Functions whose argument becomes visible. */
const WRITERS = new Set([
  'write',
  'writeln',
  'innerHTML',
  'href',
  'location',
  'textContent',
  'innerText',
  'append',
]);

/**
 * The texts that a script builds from literals: with `+`, `[…].join`, `String.fromCharCode`, `unescape`, `atob`,
 * reversals, and variables assigned to such texts. Nothing is executed; expressions with anything else are left out.
 */
export function scriptStrings(script: string): string[] {
  return new Evaluator([...scriptTokens(script)]).run();
}

class Evaluator {
  readonly #tokens: readonly ScriptToken[];
  readonly #known = new Map<string, Made>();
  readonly #lists = new Map<string, string[]>();
  readonly #results: string[] = [];
  #at = 0;
  #depth = 0;
  #madeLength = 0;

  constructor(tokens: readonly ScriptToken[]) {
    this.#tokens = tokens;
  }

  run(): string[] {
    while (this.#at < this.#tokens.length && this.#madeLength < MAX_MADE_LENGTH) {
      const start = this.#at;
      this.#readList();
      this.#at = start;
      const made = this.#chain();
      if (made !== null) this.#note(made, start);
      if (this.#at === start) this.#at = start + 1;
    }
    return this.#results;
  }

  /** Remembers a text assigned to a name, and collects texts that were built or are written out. */
  #note(made: Made, start: number): void {
    const before = this.#tokens[start - 1];
    const name = this.#tokens[start - 2];
    const isGiven = before?.type === 'sign' && (before.value === '=' || before.value === ':');
    if (isGiven && name?.type === 'name') this.#known.set(name.value, made);
    const isWritten = name?.type === 'name' && WRITERS.has(name.value);
    if (!made.isMade && !isWritten && !made.text.includes('mailto:')) return;
    this.#collect(made.text);
  }

  /** Reads a list assigned to a name, and lists of character codes, however they are used. */
  #readList(): void {
    if (!this.#isSign('[', this.#at)) return;
    const name = this.#isSign('=', this.#at - 1) ? this.#tokens[this.#at - 2] : undefined;
    const start = this.#at;
    const items = this.#list();
    if (items !== null && name?.type === 'name') this.#lists.set(name.value, items);
    if (items !== null) return;
    this.#at = start + 1;
    const text = this.#numbers();
    if (text.includes('@') && this.#isSign(']', this.#at)) this.#collect(text);
  }

  #collect(text: string): void {
    this.#madeLength += text.length + 1;
    this.#results.push(text);
  }

  /** Terms joined with `+`. If one is unknown, the whole is unknown, and the text after it is not its beginning. */
  #chain(): Made | null {
    let text = '';
    let terms = 0;
    let isMade = false;
    let isKnown = true;
    for (;;) {
      const term = this.#term();
      if (term === null) {
        if (terms === 0) return null;
        isKnown = false;
        this.#skipOperand();
      } else {
        text = text.length > MAX_STRING_LENGTH ? text : text + term.text;
        isMade ||= term.isMade;
      }
      terms += 1;
      if (!this.#takes('+')) break;
    }
    return isKnown && terms > 0 ? { text, isMade: isMade || terms > 1 } : null;
  }

  #term(): Made | null {
    const start = this.#at;
    if (this.#depth >= MAX_DEPTH) return null;
    this.#depth += 1;
    const value = this.#primary();
    this.#depth -= 1;
    const made = value === null ? null : this.#withMethods(value);
    if (made === null) this.#at = start;
    return made;
  }

  #primary(): Made | string[] | null {
    const token = this.#tokens[this.#at];
    if (token?.type === 'string') {
      this.#at += 1;
      return this.#filled(token.value);
    }
    if (token?.type === 'name') return this.#named(token.value);
    if (!this.#isSign('[', this.#at) && !this.#isSign('(', this.#at)) return null;
    return this.#isSign('[', this.#at) ? this.#list() : this.#parenthesis();
  }

  /** Replaces a template's `${name}` with the value of the name. */
  #filled(text: string): Made | null {
    if (text.includes('znvygb:')) this.#collect(decodeRot13(text));
    if (!text.includes('${')) return { text, isMade: false };
    let isKnown = true;
    const filled = text.replace(/\$\{\s{0,9}([\w$]{1,60})\s{0,9}\}/g, (_, name: string) => {
      isKnown &&= this.#known.has(name);
      return (this.#known.get(name)?.text ?? '').slice(0, MAX_STRING_LENGTH);
    });
    const isWhole = isKnown && !filled.includes('${') && filled.length <= MAX_STRING_LENGTH;
    return isWhole ? { text: filled, isMade: true } : null;
  }

  #named(name: string): Made | string[] | null {
    const decode = DECODERS.get(/rot_?13/i.test(name) ? 'rot13' : name);
    if (decode && this.#isSign('(', this.#at + 1)) {
      this.#at += 2;
      const inner = this.#chain();
      const text = inner && this.#takes(')') ? decode(inner.text) : null;
      return text === null ? null : { text, isMade: true };
    }
    if (name === 'String' && this.#isName(/^fromC(?:har|odeP)/, this.#at + 2)) return this.#codes();
    // A name followed by a member access or a call does not stand for its text.
    const isPlain = !this.#isSign('(', this.#at + 1) && !this.#isSign('=', this.#at + 1);
    const isMember = this.#isSign('.', this.#at - 1);
    const list = isPlain && !isMember ? this.#lists.get(name) : undefined;
    if (list) return this.#itemOf(list);
    const known = isPlain && !isMember ? this.#known.get(name) : undefined;
    if (known) this.#at += 1;
    return known ? { text: known.text, isMade: known.isMade } : null;
  }

  /** `list[1]`, or the list itself. */
  #itemOf(list: string[]): Made | string[] {
    this.#at += 1;
    const index = this.#tokens[this.#at + 1];
    if (!this.#isSign('[', this.#at) || index?.type !== 'number') return list;
    this.#at += 3;
    return { text: list[index.value] ?? '', isMade: false };
  }

  #codes(): Made | null {
    this.#at += 4;
    const text = this.#numbers();
    return text !== '' && this.#takes(')') ? { text, isMade: true } : null;
  }

  /** The text for comma-separated character codes; empty when there are none. */
  #numbers(): string {
    let text = '';
    for (
      let token = this.#tokens[this.#at];
      token?.type === 'number';
      token = this.#tokens[this.#at]
    ) {
      if (!(token.value >= 0 && token.value <= 0x10_ff_ff) || text.length > MAX_STRING_LENGTH)
        return '';
      text += String.fromCodePoint(Math.trunc(token.value));
      this.#at += 1;
      if (!this.#takes(',')) break;
    }
    return text;
  }

  #parenthesis(): Made | null {
    this.#at += 1;
    // Doubled parentheses do not build addresses.
    if (this.#isSign('(', this.#at)) return null;
    const inner = this.#chain();
    return inner && this.#takes(')') ? inner : null;
  }

  #list(): string[] | null {
    this.#at += 1;
    const items: string[] = [];
    for (
      let token = this.#tokens[this.#at];
      token?.type === 'string';
      token = this.#tokens[this.#at]
    ) {
      items.push(token.value);
      this.#at += 1;
      if (!this.#takes(',')) break;
    }
    return this.#takes(']') ? items : null;
  }

  /** `.split('')`, `.reverse()`, `.join(…)`, `.concat(…)` and `.replace('a', 'b')` of literals. */
  #withMethods(value: Made | string[]): Made | null {
    let current = value;
    let isMade = Array.isArray(value) || value.isMade;
    while (this.#isSign('.', this.#at) && this.#isSign('(', this.#at + 2)) {
      const method = this.#tokens[this.#at + 1];
      this.#at += 3;
      const given = this.#literals();
      const next =
        given && method?.type === 'name' ? applyTextMethod(current, method.value, given) : null;
      if (next === null) return null;
      current = typeof next === 'string' ? { text: next, isMade: true } : next;
      isMade = true;
    }
    return Array.isArray(current) ? null : { text: current.text, isMade };
  }

  #literals(): string[] | null {
    const values: string[] = [];
    for (
      let token = this.#tokens[this.#at];
      token?.type === 'string';
      token = this.#tokens[this.#at]
    ) {
      values.push(token.value);
      this.#at += 1;
      if (!this.#takes(',')) break;
    }
    return this.#takes(')') ? values : null;
  }

  #skipOperand(): void {
    const first = this.#tokens[this.#at];
    if (first?.type === 'name' || first?.type === 'number') this.#at += 1;
    while (this.#isSign('.', this.#at) && this.#tokens[this.#at + 1]?.type === 'name')
      this.#at += 2;
  }

  #takes(sign: string): boolean {
    if (!this.#isSign(sign, this.#at)) return false;
    this.#at += 1;
    return true;
  }

  #isSign(sign: string, at: number): boolean {
    const token = this.#tokens[at];
    return token?.type === 'sign' && token.value === sign;
  }

  #isName(pattern: RegExp, at: number): boolean {
    const token = this.#tokens[at];
    return token?.type === 'name' && pattern.test(token.value);
  }
}
