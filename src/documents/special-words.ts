/** A version or another number with dots, a letter with `++` or `#`, .NET, and names such as Node.js and ASP.NET. */
const SPECIAL =
  /(?<![\p{L}\p{N}.])[vV]?(\d{1,9}(?:\.\d{1,9}){1,5})(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])([A-Za-z](?:\+\+|#))(?![\p{L}\p{N}+#])|(?<![\p{L}\p{N}_-])([A-Za-z]{0,20})\.(NET|Net|net|JS|js)(?![\p{L}\p{N}])/gu;
/** Most texts have none; this is a look at each character. */
const MAYBE_SPECIAL = /[+#]|\.[\dnNjJ]/;

export interface SpecialWord {
  words: string[];
  /** Where it stands in the text. */
  index: number;
}

/**
 * Words that letters and digits alone do not tell apart: `2.14.3` → 2.14.3, 2.14, so that both find it and `3.14.2` is
 * another one; `C++` → c++; `.NET` → dotnet; `Node.js` → nodejs.
 */
export function specialWords(text: string): SpecialWord[] {
  if (!MAYBE_SPECIAL.test(text)) return [];
  return Array.from(text.matchAll(SPECIAL), ({ index, 1: number, 2: symbol, 3: name, 4: end }) => {
    if (number !== undefined) return { index, words: versionWords(number) };
    if (symbol !== undefined) return { index, words: [symbol.toLowerCase()] };
    return { index, words: dottedWords(name ?? '', end ?? '') };
  });
}

function versionWords(number: string): string[] {
  const parts = number.split('.');
  return parts.slice(1).map((_, at) => parts.slice(0, parts.length - at).join('.'));
}

/** `example.net` is an address, `ASP.NET` is not. */
function dottedWords(name: string, end: string): string[] {
  const isNet = end.toLowerCase() === 'net';
  if (isNet && name !== '' && end !== 'NET') return [];
  const whole = name === '' ? [] : [`${name}${end}`.toLowerCase()];
  return isNet ? [...whole, 'dotnet'] : whole;
}
