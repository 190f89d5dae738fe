import type { Node } from 'oxc-parser';
import { argumentsOf, literalsOf, nameOf, resolve } from './types.ts';

/** The kind of a value as read, however narrow its type. */
export type Kind = 'boolean' | 'bytes' | 'Date' | 'list' | 'number' | 'string';

/** Null for types without a kind, such as `unknown` and JSON content. `| null` is ignored. */
export function kindOf(type: Node): Kind | null {
  if (literalsOf(type)) return 'string';
  const resolved = resolve(type);
  switch (resolved.type) {
    case 'TSStringKeyword':
    case 'TSTemplateLiteralType':
      return 'string';
    case 'TSNumberKeyword':
      return 'number';
    case 'TSBooleanKeyword':
      return 'boolean';
    case 'TSArrayType':
      return 'list';
    case 'TSUnionType': {
      const kinds = new Set(withoutNull(resolved.types).map((part) => kindOf(part)));
      const [kind] = kinds;
      return kinds.size === 1 ? (kind ?? null) : null;
    }
    case 'TSLiteralType':
      return resolved.literal.type === 'Literal' ? literalKind(resolved.literal.value) : null;
    case 'TSTypeReference':
      return namedKind(resolved);
    default:
      return null;
  }
}

export function withoutNull(types: readonly Node[]): Node[] {
  return types.filter(({ type }) => type !== 'TSNullKeyword' && type !== 'TSUndefinedKeyword');
}

export function mayBeNull(type: Node): boolean {
  const resolved = resolve(type);
  if (resolved.type === 'TSUnionType') return resolved.types.some((part) => mayBeNull(part));
  return resolved.type === 'TSNullKeyword' || resolved.type === 'TSUnknownKeyword';
}

function literalKind(value: unknown): Kind | null {
  const kind = typeof value;
  return kind === 'boolean' || kind === 'number' || kind === 'string' ? kind : null;
}

function namedKind(type: Node): Kind | null {
  switch (nameOf(type)) {
    case 'Branded': {
      const [of] = argumentsOf(type);
      return of ? kindOf(of) : null;
    }
    case 'Date':
      return 'Date';
    case 'Buffer':
    case 'Uint8Array':
      return 'bytes';
    case 'Array':
    case 'ReadonlyArray':
      return 'list';
    default:
      return null;
  }
}
