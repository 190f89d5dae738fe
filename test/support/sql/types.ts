import type { Node } from 'oxc-parser';
import { lookUp } from './source-files.ts';

export interface Property {
  type: Node | null;
  isOptional: boolean;
}

/** The declaration that a reference leads to, through aliases; the type itself when it is not a reference. */
export function resolve(type: Node): Node {
  if (type.type === 'TSParenthesizedType') return resolve(type.typeAnnotation);
  if (type.type === 'TSTypeOperator' && type.operator === 'readonly') {
    return resolve(type.typeAnnotation);
  }
  if (type.type !== 'TSTypeReference') return type;
  if (nameOf(type) === 'Readonly') return resolve(argumentsOf(type)[0] ?? type);
  const binding = nameOf(type) === null ? null : lookUp(nameOf(type) ?? '', type);
  if (binding?.kind !== 'type') return type;
  const { declared } = binding;
  if (declared.type !== 'TSTypeAliasDeclaration') return declared;
  return declared.typeParameters ? type : resolve(declared.typeAnnotation);
}

export function nameOf(type: Node): string | null {
  return type.type === 'TSTypeReference' && type.typeName.type === 'Identifier'
    ? type.typeName.name
    : null;
}

export function argumentsOf(type: Node): Node[] {
  return type.type === 'TSTypeReference' ? (type.typeArguments?.params ?? []) : [];
}

/** Null for a type without declared properties, such as `unknown`. */
export function propertiesOf(type: Node): Map<string, Property> | null {
  const resolved = resolve(type);
  switch (resolved.type) {
    case 'TSTypeLiteral':
      return membersOf(resolved.members);
    case 'TSInterfaceDeclaration':
      return merged([
        ...resolved.extends.map((parent) => parentProperties(parent)),
        membersOf(resolved.body.body),
      ]);
    case 'TSIntersectionType':
      return merged(resolved.types.map((part) => propertiesOf(part)));
    case 'TSUnionType':
      return unitedProperties(resolved.types.map((part) => propertiesOf(part)));
    case 'TSTypeReference':
      return narrowed(nameOf(resolved), argumentsOf(resolved));
    default:
      return null;
  }
}

/** The strings of `'a' | 'b'`; null when the type contains anything else. */
export function literalsOf(type: Node): string[] | null {
  const resolved = resolve(type);
  if (resolved.type === 'TSUnionType') {
    const parts = resolved.types.map((part) => literalsOf(part));
    return parts.every((part) => part !== null) ? parts.flat() : null;
  }
  if (resolved.type === 'TSLiteralType' && resolved.literal.type === 'Literal') {
    return typeof resolved.literal.value === 'string' ? [resolved.literal.value] : null;
  }
  return indexedLiterals(resolved);
}

/** `(typeof NAMES)[number]`. */
function indexedLiterals(type: Node): string[] | null {
  if (type.type !== 'TSIndexedAccessType') return null;
  const { objectType: object } = type;
  const query = object.type === 'TSParenthesizedType' ? object.typeAnnotation : object;
  if (query.type !== 'TSTypeQuery' || query.exprName.type !== 'Identifier') return null;
  const binding = lookUp(query.exprName.name, query);
  const init = binding?.kind === 'variable' ? binding.declarator.init : null;
  const list = init?.type === 'TSAsExpression' ? init.expression : null;
  if (list?.type !== 'ArrayExpression') return null;
  return list.elements.flatMap((one) =>
    one?.type === 'Literal' && typeof one.value === 'string' ? [one.value] : [],
  );
}

function parentProperties(parent: {
  expression: Node;
  typeArguments?: { params: Node[] } | null;
}): Map<string, Property> | null {
  const { expression, typeArguments } = parent;
  if (expression.type !== 'Identifier') return null;
  if (typeArguments) return narrowed(expression.name, typeArguments.params);
  const binding = lookUp(expression.name, expression);
  if (binding?.kind !== 'type') return null;
  const { declared } = binding;
  return propertiesOf(
    declared.type === 'TSTypeAliasDeclaration' ? declared.typeAnnotation : declared,
  );
}

/** `Pick` and `Omit`. */
function narrowed(name: string | null, [of, keys]: Node[]): Map<string, Property> | null {
  const all = of ? propertiesOf(of) : null;
  const named = keys ? literalsOf(keys) : null;
  if (!all || !named || (name !== 'Pick' && name !== 'Omit')) return null;
  return new Map([...all].filter(([key]) => named.includes(key) === (name === 'Pick')));
}

function membersOf(members: readonly Node[]): Map<string, Property> | null {
  const properties = new Map<string, Property>();
  for (const member of members) {
    if (member.type !== 'TSPropertySignature') return null;
    const { key, optional, typeAnnotation } = member;
    const name =
      key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : null;
    if (name === null) return null;
    properties.set(name, { type: typeAnnotation?.typeAnnotation ?? null, isOptional: optional });
  }
  return properties;
}

function merged(parts: (Map<string, Property> | null)[]): Map<string, Property> | null {
  const all = new Map<string, Property>();
  for (const part of parts) {
    if (!part) return null;
    for (const [name, property] of part) all.set(name, property);
  }
  return all;
}

/** Properties of a union of row types; those missing in some are optional. */
function unitedProperties(parts: (Map<string, Property> | null)[]): Map<string, Property> | null {
  const shapes = parts.filter((part) => part !== null);
  if (shapes.length < parts.length) return null;
  const all = new Map<string, Property>();
  for (const name of new Set(shapes.flatMap((shape) => [...shape.keys()]))) {
    const known = shapes.flatMap((shape) => shape.get(name) ?? []);
    // Its type differs between the shapes, so only the name is known.
    const type = known.length === 1 ? (known[0]?.type ?? null) : null;
    all.set(name, { type, isOptional: known.length < shapes.length });
  }
  return all;
}
