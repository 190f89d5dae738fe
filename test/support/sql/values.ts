import type { Node } from 'oxc-parser';
import type { AnyFunction, Template } from './source-files.ts';

/** Where a value is sent along with the statement; numbered when the statement is whole. */
export const PARAMETER = '\u0000';

/** Arguments of the calls in which an expression is looked at. */
export interface Frame {
  id: string;
  owner: AnyFunction;
  arguments: Value[];
  parent: Frame | null;
}

export interface SqlValue {
  kind: 'sql';
  text: string;
  /** `X` of `sql<X>`; null where none is written. */
  rowType: Node | null;
}

/** What can be said of an expression without running it. */
export type Value =
  | SqlValue
  | { kind: 'literal'; value: string | number | boolean | null | undefined }
  | { kind: 'object'; node: Extract<Node, { type: 'ObjectExpression' }>; frame: Frame | null }
  | { kind: 'array'; items: Value[] }
  | { kind: 'function'; declared: AnyFunction; frame: Frame | null }
  /** Known by its type alone. */
  | { kind: 'typed'; type: Node }
  /** Nobody gets here: what is evaluated throws. */
  | { kind: 'never' }
  | { kind: 'unknown' };

export const UNKNOWN: Value = { kind: 'unknown' };
export const NEVER: Value = { kind: 'never' };
export const NOTHING: Value = { kind: 'literal', value: undefined };

export function literal(value: string | number | boolean | null): Value {
  return { kind: 'literal', value };
}

/** Null when it depends on what is not known. */
export function truthOf(value: Value): boolean | null {
  if (value.kind === 'literal') return Boolean(value.value);
  return value.kind === 'unknown' || value.kind === 'typed' || value.kind === 'never' ? null : true;
}

/** One way through an expression: which alternative is taken at each place that has several. */
export class Path {
  readonly taken: ReadonlyMap<string, number>;
  /** How many alternatives there are at the places that were come by. */
  readonly met = new Map<string, number>();
  /** Templates that became part of the result. */
  readonly used = new Set<Template>();
  readonly evaluating = new Set<string>();
  depth = 0;

  constructor(taken: ReadonlyMap<string, number> = new Map()) {
    this.taken = taken;
  }

  /** The same alternative wherever the key is the same. */
  choose(key: string, count: number): number {
    if (count <= 1) return 0;
    this.met.set(key, count);
    return Math.min(this.taken.get(key) ?? 0, count - 1);
  }
}

/** A statement that cannot be put together; the message says what is missing. */
export class Unassembled extends Error {
  override readonly name = 'Unassembled';
}

/** Every result, with each alternative taken once at least: not all combinations, which would be too many. */
export function alternatives<T>(evaluate: (path: Path) => T): { result: T; path: Path }[] {
  const results: { result: T; path: Path }[] = [];
  const waiting: ReadonlyMap<string, number>[] = [new Map()];
  const seen = new Set<string>();
  for (let taken = waiting.shift(); taken; taken = waiting.shift()) {
    const path = new Path(taken);
    results.push({ result: evaluate(path), path });
    for (const [key, count] of path.met) {
      for (let index = 1; index < count; index += 1) {
        if (seen.has(`${key}=${index}`)) continue;
        seen.add(`${key}=${index}`);
        waiting.push(new Map([...taken, [key, index]]));
      }
    }
  }
  return results;
}
