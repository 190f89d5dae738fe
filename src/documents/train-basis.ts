import { idf } from './bm25.ts';
import { encodeBasis, LATENT_DIMENSIONS } from './latent-basis.ts';

/** Terms that a basis has at most, those that count for most: 1.4 MB. */
const MAX_TERMS = 20_000;
/** A term of a single text goes together with nothing. */
const MIN_TEXTS = 2;
/** More do not change the order of results. */
const PASSES = 4;
/** What is left of an axis once the others are taken from it, below which it is nothing but rounding. */
const ROUNDING = 1e-6;
const SEED = 0x15a1;
const GOLDEN_RATIO = 0x9e3779b1;

/** Terms and weights of texts, one text after the other. */
export interface BasisTask {
  /** Where the terms of each text begin, and last where they end. */
  starts: Int32Array;
  ids: Int32Array;
  /** `documentWeights` of bm25.ts. */
  weights: Float32Array;
}

/**
 * The encoded basis of these texts: the leading right singular vectors of the matrix of texts and terms, weighted by
 * idf, with rows of unit length; each is multiplied by its singular value, so that what few texts have in common counts
 * for little. They are found by subspace iteration from random vectors (Halko, Martinsson & Tropp
 * 2011, "Finding structure with randomness", algorithm 4.4). The same texts always give the same basis.
 */
export function trainBasis(task: BasisTask): Uint8Array {
  const texts = task.starts.length - 1;
  const terms = chooseTerms(task, texts);
  const matrix = toMatrix(task, terms);
  const axes = leadingAxes(matrix, terms.length);
  const scales = new Float32Array(terms.length);
  const vectors = new Int8Array(terms.length * LATENT_DIMENSIONS);
  for (const [place, term] of terms.entries()) {
    const most = axes.reduce((best, axis) => Math.max(best, Math.abs(axis[place] ?? 0)), 0);
    if (most === 0) continue;
    scales[place] = (term.idf * most) / 127;
    for (const [n, axis] of axes.entries()) {
      vectors[place * LATENT_DIMENSIONS + n] = Math.round(((axis[place] ?? 0) / most) * 127);
    }
  }
  return encodeBasis({ ids: Int32Array.from(terms, ({ id }) => id), scales, vectors });
}

interface Term {
  id: number;
  idf: number;
  /** What it counts for in all texts together. */
  weight: number;
}

/** In the order of their ids. */
function chooseTerms({ ids, weights }: BasisTask, texts: number): Term[] {
  const sums = new Map<number, { df: number; weight: number }>();
  for (let at = 0; at < ids.length; at += 1) {
    const id = ids[at] ?? 0;
    const sum = sums.get(id) ?? { df: 0, weight: 0 };
    sum.df += 1;
    sum.weight += weights[at] ?? 0;
    sums.set(id, sum);
  }
  const terms: Term[] = [];
  for (const [id, { df, weight }] of sums) {
    if (df < MIN_TEXTS) continue;
    terms.push({ id, idf: idf(df, texts), weight: weight * idf(df, texts) });
  }
  const most = terms.sort((a, b) => b.weight - a.weight || a.id - b.id).slice(0, MAX_TERMS);
  return most.sort((a, b) => a.id - b.id);
}

/** Rows of texts, of which only what is not zero is kept. */
interface SparseMatrix {
  starts: Int32Array;
  columns: Int32Array;
  values: Float32Array;
}

function toMatrix({ starts, ids, weights }: BasisTask, terms: readonly Term[]): SparseMatrix {
  const columnOf = new Map(terms.map(({ id }, column) => [id, column]));
  const rows = new Int32Array(starts.length);
  const columns = new Int32Array(ids.length);
  const values = new Float32Array(ids.length);
  let length = 0;
  for (let row = 0; row + 1 < starts.length; row += 1) {
    let squares = 0;
    for (let at = starts[row] ?? 0; at < (starts[row + 1] ?? 0); at += 1) {
      const column = columnOf.get(ids[at] ?? 0);
      if (column === undefined) continue;
      const value = (weights[at] ?? 0) * (terms[column]?.idf ?? 0);
      columns[length] = column;
      values[length] = value;
      squares += value ** 2;
      length += 1;
    }
    rows[row + 1] = length;
    for (let at = rows[row] ?? 0; at < length; at += 1) {
      values[at] = (values[at] ?? 0) / Math.sqrt(squares);
    }
  }
  return {
    starts: rows,
    columns: columns.subarray(0, length),
    values: values.subarray(0, length),
  };
}

function leadingAxes(matrix: SparseMatrix, width: number): Float64Array[] {
  const axes = Array.from({ length: LATENT_DIMENSIONS }, (_, axis) =>
    Float64Array.from({ length: width }, (_none, column) => noise(axis * width + column)),
  );
  for (let pass = 0; pass < PASSES; pass += 1) {
    orthonormalize(axes);
    for (const axis of axes) project(matrix, axis);
  }
  orthonormalize(axes);
  for (const axis of axes) scale(axis, singularValue(matrix, axis));
  return axes;
}

/** Evenly between -1 and 1. */
function noise(number: number): number {
  let mixed = Math.imul(number ^ SEED, GOLDEN_RATIO);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return ((mixed ^ (mixed >>> 13)) | 0) / 2 ** 31;
}

/** Multiplies in place by the matrix, and by its transpose. */
function project({ starts, columns, values }: SparseMatrix, axis: Float64Array): void {
  const projected = new Float64Array(axis.length);
  for (let row = 0; row + 1 < starts.length; row += 1) {
    const end = starts[row + 1] ?? 0;
    let sum = 0;
    for (let at = starts[row] ?? 0; at < end; at += 1) {
      sum += (values[at] ?? 0) * (axis[columns[at] ?? 0] ?? 0);
    }
    for (let at = starts[row] ?? 0; at < end; at += 1) {
      const column = columns[at] ?? 0;
      projected[column] = (projected[column] ?? 0) + sum * (values[at] ?? 0);
    }
  }
  axis.set(projected);
}

/** Gram–Schmidt in place. An axis that the ones before it make up becomes zeros: few or equal texts have fewer axes. */
function orthonormalize(axes: readonly Float64Array[]): void {
  for (const [n, axis] of axes.entries()) {
    const before = Math.sqrt(product(axis, axis));
    for (const other of axes.slice(0, n)) subtract(axis, other, product(axis, other));
    const left = Math.sqrt(product(axis, axis));
    scale(axis, left <= before * ROUNDING ? 0 : 1 / left);
  }
}

/** Of an axis of unit length: how much the texts have of it, all together. */
function singularValue({ starts, columns, values }: SparseMatrix, axis: Float64Array): number {
  let squares = 0;
  for (let row = 0; row + 1 < starts.length; row += 1) {
    let sum = 0;
    for (let at = starts[row] ?? 0; at < (starts[row + 1] ?? 0); at += 1) {
      sum += (values[at] ?? 0) * (axis[columns[at] ?? 0] ?? 0);
    }
    squares += sum ** 2;
  }
  return Math.sqrt(squares);
}

function scale(axis: Float64Array, by: number): void {
  for (let at = 0; at < axis.length; at += 1) axis[at] = (axis[at] ?? 0) * by;
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

function subtract(axis: Float64Array, other: Float64Array, share: number): void {
  for (let at = 0; at < axis.length; at += 1) {
    axis[at] = (axis[at] ?? 0) - share * (other[at] ?? 0);
  }
}
