import type { Node } from 'oxc-parser';
import { type Tools, valueOfName, valueOfType } from './names.ts';
import { type AnyFunction, type Call, idOf, isFunction, lookUp, textOf } from './source-files.ts';
import { callOfSql, isSqlTag, joined } from './sql-tag.ts';
import {
  type Frame,
  literal,
  NEVER,
  NOTHING,
  type Path,
  truthOf,
  UNKNOWN,
  type Value,
} from './values.ts';

const MAX_DEPTH = 60;
const TOOLS: Tools = { evaluate, member };

/** The value of an expression as far as the source determines it; `unknown` when only a run could tell. */
export function evaluate(node: Node, frame: Frame | null, path: Path): Value {
  if (path.depth > MAX_DEPTH) return UNKNOWN;
  path.depth += 1;
  try {
    return evaluateNode(node, frame, path);
  } finally {
    path.depth -= 1;
  }
}

function evaluateNode(node: Node, frame: Frame | null, path: Path): Value {
  switch (node.type) {
    case 'Literal':
      return literalOf(node);
    case 'TemplateLiteral':
      return evaluateText(node, frame, path);
    case 'TaggedTemplateExpression':
      if (!isSqlTag(node.tag)) return UNKNOWN;
      return joined(node, itemsOf(node.quasi.expressions, frame, path), path);
    case 'Identifier':
      return node.name === 'undefined' ? NOTHING : valueOfName(node, frame, path, TOOLS);
    case 'ObjectExpression':
      return { kind: 'object', node, frame };
    case 'ArrayExpression':
      return { kind: 'array', items: itemsOf(node.elements, frame, path) };
    case 'ConditionalExpression':
      return evaluate(
        isTaken(node.test, frame, path) ? node.consequent : node.alternate,
        frame,
        path,
      );
    case 'LogicalExpression':
      return evaluateLogical(node, frame, path);
    case 'MemberExpression':
      return evaluateMember(node, frame, path);
    case 'CallExpression':
      return evaluateCall(node, frame, path);
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'ParenthesizedExpression':
    case 'ChainExpression':
      return evaluate(node.expression, frame, path);
    default:
      return isFunction(node) ? { kind: 'function', declared: node, frame } : UNKNOWN;
  }
}

function evaluateText(
  { quasis, expressions }: Extract<Node, { type: 'TemplateLiteral' }>,
  frame: Frame | null,
  path: Path,
): Value {
  const parts = expressions.map((one) => evaluate(one, frame, path));
  let text = '';
  for (const [index, quasi] of quasis.entries()) {
    text += quasi.value.cooked ?? '';
    const part = parts[index];
    if (part === undefined) continue;
    if (part.kind !== 'literal') return UNKNOWN;
    text += String(part.value);
  }
  return literal(text);
}

function itemsOf(elements: readonly (Node | null)[], frame: Frame | null, path: Path): Value[] {
  return elements.flatMap((element) => {
    if (element === null) return [NOTHING];
    if (element.type !== 'SpreadElement') return [evaluate(element, frame, path)];
    const spread = evaluate(element.argument, frame, path);
    return spread.kind === 'array' ? spread.items : [UNKNOWN];
  });
}

/**
 * Whether the condition holds on this path. An unknown condition takes either branch, the same one for the same text
 * within a call.
 */
function isTaken(test: Node, frame: Frame | null, path: Path): boolean {
  const known = truthOfTest(test, frame, path);
  if (known !== null) return known;
  const text = textOf(test);
  return path.choose(`if:${frame?.id ?? ''}:${enclosing(test)}:${text}`, 2) === 0;
}

function truthOfTest(test: Node, frame: Frame | null, path: Path): boolean | null {
  if (test.type === 'UnaryExpression' && test.operator === '!') {
    const truth = truthOfTest(test.argument, frame, path);
    return truth === null ? null : !truth;
  }
  if (test.type !== 'BinaryExpression') return truthOf(evaluate(test, frame, path));
  const [left, right] = [evaluate(test.left, frame, path), evaluate(test.right, frame, path)];
  const equal = areEqual(left, right);
  if (equal === null) return null;
  if (test.operator === '===') return equal;
  return test.operator === '!==' ? !equal : null;
}

function areEqual(left: Value, right: Value): boolean | null {
  if (left.kind === 'literal' && right.kind === 'literal') return left.value === right.value;
  const other = left.kind === 'literal' ? right : left;
  // A fragment, a list or an object is never null.
  if (left.kind !== 'literal' && right.kind !== 'literal') return null;
  return truthOf(other) === true ? false : null;
}

function evaluateLogical(
  { left, right, operator }: Extract<Node, { type: 'LogicalExpression' }>,
  frame: Frame | null,
  path: Path,
): Value {
  const first = evaluate(left, frame, path);
  if (operator === '??') {
    const isNull = first.kind === 'literal' && (first.value ?? null) === null;
    return isNull ? evaluate(right, frame, path) : first;
  }
  if (isTaken(left, frame, path) === (operator === '&&')) return evaluate(right, frame, path);
  return first.kind === 'literal' ? first : literal(false);
}

function evaluateMember(
  node: Extract<Node, { type: 'MemberExpression' }>,
  frame: Frame | null,
  path: Path,
): Value {
  const object = evaluate(node.object, frame, path);
  if (!node.computed) {
    return node.property.type === 'Identifier' ? member(object, node.property.name, path) : UNKNOWN;
  }
  const key = evaluate(node.property, frame, path);
  if (key.kind === 'literal') return member(object, String(key.value), path);
  // Any entry of a lookup table.
  if (object.kind !== 'object') return UNKNOWN;
  const entries = object.node.properties.flatMap((one) => (one.type === 'Property' ? [one] : []));
  const index = path.choose(`entry:${idOf(node)}:${frame?.id ?? ''}`, entries.length);
  const entry = entries[index];
  return entry ? evaluate(entry.value, object.frame, path) : UNKNOWN;
}

/** A property of an object, or an item of a list. */
function member(value: Value, name: string, path: Path): Value {
  if (value.kind === 'array') return value.items[Number(name)] ?? UNKNOWN;
  if (value.kind === 'typed') return valueOfType(value.type, path, TOOLS, name);
  if (value.kind !== 'object') return UNKNOWN;
  for (const property of value.node.properties.toReversed()) {
    if (property.type === 'SpreadElement') {
      const found = member(evaluate(property.argument, value.frame, path), name, path);
      if (found.kind !== 'unknown') return found;
    } else if (property.key.type === 'Identifier' && property.key.name === name) {
      return evaluate(property.value, value.frame, path);
    } else if (property.key.type === 'Literal' && property.key.value === name) {
      return evaluate(property.value, value.frame, path);
    }
  }
  return UNKNOWN;
}

function evaluateCall(node: Call, frame: Frame | null, path: Path): Value {
  const { callee } = node;
  if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier') {
    const { name } = callee.property;
    if (isSqlTag(callee.object)) {
      return callOfSql(name, node, itemsOf(node.arguments, frame, path));
    }
    const target = evaluate(callee.object, frame, path);
    const argument = node.arguments[0];
    if (target.kind === 'sql') {
      return name === 'as' || name.startsWith('$') ? target : UNKNOWN;
    }
    if (target.kind === 'array') return listCall(name, target.items, argument, node, frame, path);
    if (argument && name === 'map' && target.kind !== 'object') {
      // One item represents an unknown list.
      return listCall(name, [UNKNOWN], argument, node, frame, path);
    }
  }
  if (callee.type === 'Identifier' && callee.name === 'String' && !lookUp('String', callee)) {
    const value = node.arguments[0] ? evaluate(node.arguments[0], frame, path) : UNKNOWN;
    return value.kind === 'literal' ? literal(String(value.value)) : UNKNOWN;
  }
  const called = evaluate(callee, frame, path);
  if (called.kind !== 'function') return UNKNOWN;
  const given = itemsOf(node.arguments, frame, path);
  return call(called, given, `${idOf(node)}:${frame?.id ?? ''}`, path);
}

function listCall(
  name: string,
  items: Value[],
  argument: Node | undefined,
  node: Node,
  frame: Frame | null,
  path: Path,
): Value {
  if (name === 'filter' || name === 'slice' || name === 'toSorted' || name === 'concat') {
    return { kind: 'array', items };
  }
  if ((name !== 'map' && name !== 'flatMap') || !argument) return UNKNOWN;
  const called = evaluate(argument, frame, path);
  if (called.kind !== 'function') return UNKNOWN;
  const results = items.map((item, index) =>
    call(called, [item, UNKNOWN], `${idOf(node)}:${index}:${frame?.id ?? ''}`, path),
  );
  const flat = results.flatMap((one) =>
    name === 'flatMap' && one.kind === 'array' ? one.items : [one],
  );
  return { kind: 'array', items: flat };
}

/** The return value of a function; an async one never returns part of a statement. */
function call(
  { declared, frame }: Extract<Value, { kind: 'function' }>,
  given: Value[],
  id: string,
  path: Path,
): Value {
  if (declared.async || declared.generator || !declared.body) return UNKNOWN;
  const key = `call:${idOf(declared)}`;
  // Recursion adds nothing new.
  if (path.evaluating.has(key)) return UNKNOWN;
  path.evaluating.add(key);
  try {
    const inner: Frame = { id, owner: declared, arguments: given, parent: frame };
    const result =
      declared.body.type === 'BlockStatement'
        ? (run(declared.body.body, inner, path) ?? NOTHING)
        : evaluate(declared.body, inner, path);
    return withRowType(result, declared);
  } finally {
    path.evaluating.delete(key);
  }
}

/** Applies the function's `RawBuilder<Row>` when the template has no row type. */
function withRowType(value: Value, declared: AnyFunction): Value {
  if (value.kind !== 'sql' || value.rowType) return value;
  const returned = declared.returnType?.typeAnnotation;
  const [rowType] =
    returned?.type === 'TSTypeReference' ? (returned.typeArguments?.params ?? []) : [];
  return rowType ? { ...value, rowType } : value;
}

/** @returns null when the statements end without a `return` */
function run(statements: readonly Node[], frame: Frame, path: Path): Value | null {
  for (const statement of statements) {
    const result = runOne(statement, frame, path);
    if (result) return result;
  }
  return null;
}

function runOne(node: Node, frame: Frame, path: Path): Value | null {
  switch (node.type) {
    case 'ReturnStatement':
      return node.argument ? evaluate(node.argument, frame, path) : NOTHING;
    case 'ThrowStatement':
      return NEVER;
    case 'BlockStatement':
      return run(node.body, frame, path);
    case 'TryStatement':
      return run(node.block.body, frame, path);
    case 'IfStatement': {
      const taken = isTaken(node.test, frame, path) ? node.consequent : node.alternate;
      return taken ? runOne(taken, frame, path) : null;
    }
    case 'SwitchStatement': {
      const index = path.choose(`switch:${idOf(node)}:${frame.id}`, node.cases.length);
      return run(
        node.cases.slice(index).flatMap((one) => one.consequent),
        frame,
        path,
      );
    }
    default:
      return null;
  }
}

function enclosing(node: Node): string {
  let at: Node | null | undefined = node;
  while (at && !isFunction(at)) at = at.parent;
  return at ? idOf(at) : idOf(node);
}

function literalOf(node: Extract<Node, { type: 'Literal' }>): Value {
  const { value } = node;
  if (value === null) return literal(node.raw === 'null' ? null : '');
  return typeof value === 'object' || typeof value === 'bigint' ? UNKNOWN : literal(value);
}
