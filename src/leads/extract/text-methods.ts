/** A text that a script makes, and whether more than one literal was needed. */
export interface Made {
  text: string;
  isMade: boolean;
}

/** What a method of a string or a list makes of literals; null for methods that are not known. */
export function applyTextMethod(
  value: Made | string[],
  method: string,
  [first = '', second = '']: readonly string[],
): string | string[] | null {
  if (Array.isArray(value)) {
    if (method === 'reverse') return value.toReversed();
    return method === 'join' ? value.join(first) : null;
  }
  switch (method) {
    case 'split':
      return value.text.split(first);
    case 'concat':
      return value.text + first + second;
    case 'replace':
      return value.text.replace(first, () => second);
    case 'toLowerCase':
    case 'toString':
    case 'trim':
      return value.text;
    default:
      return null;
  }
}
