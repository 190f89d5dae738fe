import type { Node } from 'oxc-parser';
import {
  type AnyFunction,
  type Binding,
  type Call,
  fileOf,
  isFunction,
  lookUp,
  parseFile,
  parseFolder,
  type SourceFile,
  idOf,
  textOf,
} from './source-files.ts';
import { literalsOf, nameOf, propertiesOf, resolve } from './types.ts';
import { type Frame, literal, NOTHING, Path, UNKNOWN, type Value } from './values.ts';

/** Functions lent by `evaluate.ts`, because importing them would be circular. */
export interface Tools {
  evaluate(node: Node, frame: Frame | null, path: Path): Value;
  member(value: Value, name: string, path: Path): Value;
}

/** Types whose values are all listed in one constant. */
const LISTS: Record<string, { file: string; name: string }> = {
  SealedColumn: { file: 'src/encryption/sealed-columns.ts', name: 'SEALED_COLUMNS' },
};

export function valueOfName(
  node: Extract<Node, { type: 'Identifier' }>,
  frame: Frame | null,
  path: Path,
  tools: Tools,
): Value {
  const binding = lookUp(node.name, node);
  switch (binding?.kind) {
    case 'variable':
      return valueOfVariable(node.name, binding, frame, path, tools);
    case 'iteration': {
      const over = tools.evaluate(binding.over, frame, path);
      if (over.kind !== 'array' || over.items.length === 0) return UNKNOWN;
      const index = path.choose(`each:${idOf(binding.over)}:${frame?.id ?? ''}`, over.items.length);
      return bind(binding.pattern, over.items[index] ?? UNKNOWN, node.name, frame, path, tools);
    }
    case 'parameter':
      return valueOfParameter(node.name, binding, frame, path, tools);
    case 'function':
      return { kind: 'function', declared: binding.declared, frame };
    default:
      return UNKNOWN;
  }
}

function valueOfVariable(
  name: string,
  { declarator }: Extract<Binding, { kind: 'variable' }>,
  frame: Frame | null,
  path: Path,
  tools: Tools,
): Value {
  const key = `variable:${idOf(declarator)}:${name}`;
  if (!declarator.init || path.evaluating.has(key)) return UNKNOWN;
  const inner = frameOf(declarator, frame);
  const assigned = usesOf(name, declarator).flatMap(({ parent }) =>
    parent?.type === 'AssignmentExpression' &&
    parent.left.type === 'Identifier' &&
    parent.left.name === name
      ? [parent.right]
      : [],
  );
  path.evaluating.add(key);
  try {
    const sources = [declarator.init, ...assigned];
    const index = path.choose(`${key}:${inner?.id ?? ''}`, sources.length);
    const value = tools.evaluate(sources[index] ?? declarator.init, inner, path);
    const bound = bind(declarator.id, value, name, inner, path, tools);
    if (bound.kind !== 'array') return bound;
    const pushed = pushesTo(name, declarator).map((one) => tools.evaluate(one, inner, path));
    return { kind: 'array', items: [...bound.items, ...pushed] };
  } finally {
    path.evaluating.delete(key);
  }
}

/** The frame of the function that contains the node, among the active calls. */
function frameOf(node: Node, frame: Frame | null): Frame | null {
  for (let at = frame; at; at = at.parent) {
    if (
      node.start >= at.owner.start &&
      node.end <= at.owner.end &&
      fileOf(node) === fileOf(at.owner)
    ) {
      return at;
    }
  }
  return null;
}

function pushesTo(name: string, declarator: Node): Node[] {
  return usesOf(name, declarator).flatMap(({ parent }) => {
    const call = parent?.parent;
    return parent?.type === 'MemberExpression' &&
      call?.type === 'CallExpression' &&
      call.callee === parent &&
      textOf(parent.property) === 'push'
      ? call.arguments
      : [];
  });
}

function usesOf(name: string, declarator: Node): Node[] {
  return identifiersIn(fileOf(declarator), name).filter((node) => {
    const binding = lookUp(name, node);
    return binding?.kind === 'variable' && binding.declarator === declarator;
  });
}

const identifiers = new WeakMap<SourceFile, Map<string, Node[]>>();

function identifiersIn(file: SourceFile, name: string): Node[] {
  let known = identifiers.get(file);
  if (!known) {
    known = Map.groupBy(file.nodes, (node) => (node.type === 'Identifier' ? node.name : ''));
    identifiers.set(file, known);
  }
  return known.get(name) ?? [];
}

function valueOfParameter(
  name: string,
  { owner, index, pattern }: Extract<Binding, { kind: 'parameter' }>,
  frame: Frame | null,
  path: Path,
  tools: Tools,
): Value {
  let at = frame;
  while (at && at.owner !== owner) at = at.parent;
  if (at) {
    const given =
      pattern.type === 'RestElement'
        ? { kind: 'array' as const, items: at.arguments.slice(index) }
        : (at.arguments[index] ?? NOTHING);
    const value = bind(pattern, given, name, at, path, tools);
    if (value.kind !== 'unknown') return value;
  }
  const type = annotationOf(pattern);
  const value = type
    ? bind(pattern, valueOfType(type, path, tools), name, frame, path, tools)
    : UNKNOWN;
  if (at || !type || (value.kind !== 'unknown' && value.kind !== 'typed')) return value;
  return fromCallers(name, { owner, index, pattern, type }, path, tools) ?? value;
}

function annotationOf(pattern: Node): Node | null {
  if (pattern.type === 'AssignmentPattern') return annotationOf(pattern.left);
  return 'typeAnnotation' in pattern &&
    pattern.typeAnnotation &&
    'typeAnnotation' in pattern.typeAnnotation
    ? pattern.typeAnnotation.typeAnnotation
    : null;
}

/** The arguments that callers pass to a function, where they may be fragments. */
function fromCallers(
  name: string,
  parameter: { owner: AnyFunction; index: number; pattern: Node; type: Node },
  path: Path,
  tools: Tools,
): Value | null {
  const { owner, index, pattern, type } = parameter;
  if (!mayHoldSql(type)) return null;
  const key = `parameter:${idOf(owner)}:${index}`;
  if (path.evaluating.has(key)) return null;
  path.evaluating.add(key);
  try {
    const given = callsOf(owner).flatMap((call) => call.arguments[index] ?? []);
    const usable = given.filter((one) => {
      const scratch = new Path();
      scratch.evaluating.add(key);
      return tools.evaluate(one, null, scratch).kind !== 'unknown';
    });
    const chosen = usable[path.choose(key, usable.length)];
    return chosen
      ? bind(pattern, tools.evaluate(chosen, null, path), name, null, path, tools)
      : null;
  } finally {
    path.evaluating.delete(key);
  }
}

function mayHoldSql(type: Node): boolean {
  return (
    type.type === 'TSStringKeyword' ||
    /RawBuilder|Expression|typeof sql/.test(textOf(type) + textOf(resolve(type)))
  );
}

const calls = new WeakMap<SourceFile, Map<string, Call[]>>();

function callsOf(owner: AnyFunction): Call[] {
  const name = functionName(owner);
  if (name === null) return [];
  const files = new Set([fileOf(owner), ...parseFolder('src'), ...parseFolder('workers')]);
  return [...files]
    .flatMap((file) => callsIn(file, name))
    .filter(({ callee }) => {
      const binding = lookUp(name, callee);
      return (
        (binding?.kind === 'function' && binding.declared === owner) ||
        (binding?.kind === 'variable' && binding.declarator.init === owner)
      );
    });
}

function callsIn(file: SourceFile, name: string): Call[] {
  let known = calls.get(file);
  if (!known) {
    const all = file.nodes.filter((node) => node.type === 'CallExpression');
    known = Map.groupBy(all, ({ callee }) => (callee.type === 'Identifier' ? callee.name : ''));
    calls.set(file, known);
  }
  return known.get(name) ?? [];
}

function functionName(owner: AnyFunction): string | null {
  if (owner.type !== 'ArrowFunctionExpression') return owner.id?.name ?? null;
  const { parent } = owner;
  return parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier'
    ? parent.id.name
    : null;
}

/** The part of a value that a destructuring pattern binds to this name. */
function bind(
  pattern: Node,
  value: Value,
  name: string,
  frame: Frame | null,
  path: Path,
  tools: Tools,
): Value {
  const go = (inner: Node, part: Value) => bind(inner, part, name, frame, path, tools);
  const holds = (inner: Node) => new RegExp(`\\b${name}\\b`).test(textOf(inner));
  switch (pattern.type) {
    case 'Identifier':
      return value;
    case 'AssignmentPattern': {
      if (value.kind !== 'unknown' && !(value.kind === 'literal' && value.value === undefined)) {
        return go(pattern.left, value);
      }
      return go(pattern.left, tools.evaluate(pattern.right, frame, path));
    }
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        if (property.type !== 'Property' || !holds(property.value)) continue;
        const key = property.key.type === 'Identifier' ? property.key.name : '';
        return go(property.value, tools.member(value, key, path));
      }
      return UNKNOWN;
    case 'ArrayPattern':
      for (const [index, element] of pattern.elements.entries()) {
        if (!element || !holds(element) || element.type === 'RestElement') continue;
        return go(element, tools.member(value, String(index), path));
      }
      return UNKNOWN;
    default:
      return pattern.type === 'RestElement' ? go(pattern.argument, value) : UNKNOWN;
  }
}

/** One of the values that a type lists; with `name`, the type of that property. */
export function valueOfType(type: Node, path: Path, tools: Tools, name?: string): Value {
  if (name !== undefined) {
    const list = valueOfType(type, path, tools);
    if (list.kind !== 'typed') return tools.member(list, name, path);
    const property = propertiesOf(type)?.get(name)?.type;
    return property ? valueOfType(property, path, tools) : UNKNOWN;
  }
  const names = literalsOf(type);
  if (names) {
    return literal(names[path.choose(`type:${idOf(type)}`, names.length)] ?? null);
  }
  const list = LISTS[nameOf(type) ?? ''];
  if (!list) return isFunction(type) ? UNKNOWN : { kind: 'typed', type };
  const binding = lookUp(list.name, parseFile(list.file).program);
  const init = binding?.kind === 'variable' ? binding.declarator.init : null;
  const values = init ? tools.evaluate(init, null, path) : UNKNOWN;
  if (values.kind !== 'array') return UNKNOWN;
  return values.items[path.choose(`list:${list.name}`, values.items.length)] ?? UNKNOWN;
}
