import type { Node } from 'oxc-parser';
import type { AnyFunction, Template } from './source-files.ts';

/** Marks a parameter; it is numbered when the statement is complete. */
export const PARAMETER = '\u0000';

/** The arguments of the calls in which an expression is evaluated. */
export interface Frame {
  id: string;
  owner: AnyFunction;
  arguments: Value[];
  parent: Frame | null;
}

export interface SqlValue {
  kind: 'sql';
  text: string;
  /** `X` of `sql<X>`; null when there is none. */
  rowType: Node | null;
}

/** What is known of an expression without running it. */
export type Value =
  | SqlValue
  | { kind: 'literal'; value: string | number | boolean | null | undefined }
  | { kind: 'object'; node: Extract<Node, { type: 'ObjectExpression' }>; frame: Frame | null }
  | { kind: 'array'; items: Value[] }
  | { kind: 'function'; declared: AnyFunction; frame: Frame | null }
  /** Known only by its type. */
  | { kind: 'typed'; type: Node }
  /** Never reached, because the expression throws. */
  | { kind: 'never' }
  | { kind: 'unknown' };

export const UNKNOWN: Value = { kind: 'unknown' };
export const NEVER: Value = { kind: 'never' };
export const NOTHING: Value = { kind: 'literal', value: undefined };

export function literal(value: string | number | boolean | null): Value {
  return { kind: 'literal', value };
}

/** Null when it depends on an unknown value. */
export function truthOf(value: Value): boolean | null {
  if (value.kind === 'literal') return Boolean(value.value);
  return value.kind === 'unknown' || value.kind === 'typed' || value.kind === 'never' ? null : true;
}

/** One path through an expression: the alternative taken at each branch. */
export class Path {
  readonly taken: ReadonlyMap<string, number>;
  /** Number of alternatives at each branch encountered. */
  readonly met = new Map<string, number>();
  /** Templates that became part of the result. */
  readonly used = new Set<Template>();
  readonly evaluating = new Set<string>();
  depth = 0;

  constructor(taken: ReadonlyMap<string, number> = new Map()) {
    this.taken = taken;
  }

  /** Takes the same alternative for the same key. */
  choose(key: string, count: number): number {
    if (count <= 1) return 0;
    this.met.set(key, count);
    return Math.min(this.taken.get(key) ?? 0, count - 1);
  }
}

/** A statement that cannot be assembled; the message says what is missing. */
export class Unassembled extends Error {
  override readonly name = 'Unassembled';
}

/** Results in which each alternative is taken at least once. All combinations would be too many. */
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
