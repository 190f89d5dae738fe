import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Function as FunctionNode, type Node, parseSync, visitorKeys } from 'oxc-parser';

const ROOT = path.resolve(import.meta.dirname, '../../..');

export type AnyFunction = FunctionNode | Extract<Node, { type: 'ArrowFunctionExpression' }>;
type Declarator = Extract<Node, { type: 'VariableDeclarator' }>;
export type Call = Extract<Node, { type: 'CallExpression' }>;
export type Template = Extract<Node, { type: 'TaggedTemplateExpression' }>;

/** The declaration of a name. */
export type Binding =
  | { kind: 'variable'; declarator: Declarator }
  | { kind: 'iteration'; pattern: Node; over: Node }
  | { kind: 'parameter'; owner: AnyFunction; index: number; pattern: Node }
  | { kind: 'function'; declared: AnyFunction }
  | { kind: 'type'; declared: Node }
  | { kind: 'import'; from: string; name: string };

export interface SourceFile {
  /** Path from the root of the repository. */
  path: string;
  text: string;
  program: Node;
  /** All nodes, each parent before its children. */
  nodes: Node[];
}

const scopes = new WeakMap<Node, Map<string, Binding>>();
const files = new WeakMap<Node, SourceFile>();
const parsed = new Map<string, SourceFile>();

const folders = new Map<string, SourceFile[]>();

/** The parsed files below a folder that import from Kysely. */
export function parseFolder(folder: string): SourceFile[] {
  let known = folders.get(folder);
  if (!known) {
    const all = globSync(`${folder}/**/*.ts`, { cwd: ROOT }).toSorted();
    known = all.filter((file) => readText(file).includes("from 'kysely'")).map(parseFile);
    folders.set(folder, known);
  }
  return known;
}

export function parseFile(file: string): SourceFile {
  const known = parsed.get(file);
  if (known) return known;
  const source = parseText(file, readText(file));
  parsed.set(file, source);
  return source;
}

function readText(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

export function parseText(file: string, text: string): SourceFile {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const source: SourceFile = { path: file, text, program, nodes: [] };
  visit(program, undefined, source);
  return source;
}

export function fileOf(node: Node): SourceFile {
  const file = files.get(node);
  if (!file) throw new Error(`A node of type ${node.type} belongs to no file.`);
  return file;
}

/** A unique id of a node. */
export function idOf(node: Node): string {
  return `${fileOf(node).path}:${node.start}-${node.end}`;
}

/** `src/x.ts:12`. */
export function placeOf(node: Node): string {
  const { path: file, text } = fileOf(node);
  return `${file}:${text.slice(0, node.start).split('\n').length}`;
}

export function textOf(node: Node): string {
  return fileOf(node).text.slice(node.start, node.end);
}

/** The declaration of the name at this node; imports are followed into our other files. */
export function lookUp(name: string, at: Node): Binding | null {
  for (let node: Node | null | undefined = at; node; node = node.parent) {
    const binding = scopes.get(node)?.get(name);
    if (binding) return binding.kind === 'import' ? imported(binding, node) : binding;
  }
  return null;
}

function imported(binding: Extract<Binding, { kind: 'import' }>, at: Node): Binding | null {
  const file = importedFile(binding.from, fileOf(at).path);
  return file === null ? binding : lookUp(binding.name, parseFile(file).program);
}

function importedFile(from: string, importer: string): string | null {
  if (from.startsWith('#')) return from.slice(1);
  return from.startsWith('.') ? path.join(path.dirname(importer), from) : null;
}

export function isFunction(node: Node): node is AnyFunction {
  return (
    node.type === 'ArrowFunctionExpression' ||
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression'
  );
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function visit(node: Node, parent: Node | undefined, file: SourceFile): void {
  if (parent) node.parent = parent;
  files.set(node, file);
  file.nodes.push(node);
  declare(node);
  const fields = node as unknown as Record<string, unknown>; // by the parser's own keys
  for (const key of visitorKeys[node.type] ?? []) {
    const value = fields[key];
    if (!Array.isArray(value)) {
      if (isNode(value)) visit(value, node, file);
      continue;
    }
    for (const child of value) if (isNode(child)) visit(child, node, file);
  }
}

function declare(node: Node): void {
  if (node.type === 'VariableDeclarator') declareVariable(node);
  else if (node.type === 'ImportDeclaration') declareImports(node);
  else if (node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration') {
    add(scopeOf(node), node.id.name, { kind: 'type', declared: node });
  } else if (isFunction(node)) {
    if (node.type === 'FunctionDeclaration' && node.id) {
      add(scopeOf(node.parent), node.id.name, { kind: 'function', declared: node });
    }
    for (const [index, pattern] of node.params.entries()) {
      for (const name of namesIn(pattern)) {
        add(node, name, { kind: 'parameter', owner: node, index, pattern });
      }
    }
  }
}

function declareVariable(node: Declarator): void {
  const loop = node.parent?.parent;
  const isLoop = loop?.type === 'ForOfStatement' && loop.left === node.parent;
  for (const name of namesIn(node.id)) {
    if (isLoop) add(loop, name, { kind: 'iteration', pattern: node.id, over: loop.right });
    else add(scopeOf(node), name, { kind: 'variable', declarator: node });
  }
}

function declareImports(node: Extract<Node, { type: 'ImportDeclaration' }>): void {
  for (const specifier of node.specifiers) {
    if (specifier.type !== 'ImportSpecifier') continue;
    const { imported: name } = specifier;
    add(scopeOf(node), specifier.local.name, {
      kind: 'import',
      from: node.source.value,
      name: name.type === 'Literal' ? name.value : name.name,
    });
  }
}

function add(scope: Node, name: string, binding: Binding): void {
  const names = scopes.get(scope) ?? new Map<string, Binding>();
  // A constant and a type may share a name; the constant arrived as a value, which matters more here.
  if (!names.has(name) || binding.kind !== 'type') names.set(name, binding);
  scopes.set(scope, names);
}

function scopeOf(from: Node | null | undefined): Node {
  let node = from;
  while (node?.parent && node.type !== 'BlockStatement') node = node.parent;
  if (!node) throw new Error('A declaration must belong to a file.');
  return node;
}

function namesIn(pattern: Node): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    case 'ObjectPattern':
      return pattern.properties.flatMap((one) =>
        namesIn(one.type === 'Property' ? one.value : one.argument),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((one) => (one ? namesIn(one) : []));
    default:
      return [];
  }
}
