/** A text that a script builds, and whether it took more than one literal. */
export interface Made {
  text: string;
  isMade: boolean;
}

/** The result of a string or list method on literals; null for unknown methods. */
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
