import {
  ADD,
  BYTES_OF_VECTOR,
  compileKernel,
  constant,
  DIVIDE,
  get,
  load,
  MULTIPLY,
  repeat,
  set,
  shuffled,
  SQUARE_ROOT,
  store,
  SUBTRACT,
  XOR,
  type WasmCode,
} from '#src/platform/wasm-code.ts';

const BYTES_OF_NUMBER = 4;
const MINUS = 0x80000000;
const ONE = 0x3f800000;
/** 1e-30 is added to the squares, so that a zero vector stays zero. */
const LEAST_SQUARES = 0x0da24260;
/** Levels of the transform in one pass: as many vectors as there are registers. */
const MAX_LEVELS = 4;

/** Locals: two addresses, then vectors. */
const BLOCK = 0;
const AT = 1;
const [SUM, OTHER, FIRST] = [2, 3, 4];

export interface FeatureSpreader {
  /** What is spread: written before, read afterwards. */
  vector: Float32Array;
  spread: () => void;
}

/**
 * Compiles what spreads the features of a vector over all its dimensions. Each rotation multiplies by its signs, 1 or
 * -1, and transforms by Walsh–Hadamard, in natural order; the end is a vector of unit length, or zero. WebAssembly
 * works on four numbers at once, which takes a tenth of the time.
 *
 * @param rotations each with one sign for each dimension: a power of two from 64 to 4096
 */
export function compileSpreader(rotations: readonly Float32Array[]): FeatureSpreader {
  const dimensions = rotations[0]?.length ?? 0;
  const bytes = dimensions * BYTES_OF_NUMBER;
  const body = rotations.map((_, index) => rotation(bytes, bytes * (index + 1)));
  const { memory, run } = compileKernel(
    { addresses: 2, vectors: FIRST + 2 ** MAX_LEVELS, bytes: bytes * (rotations.length + 1) },
    [...body, toUnitLength(bytes)],
  );
  for (const [index, signs] of rotations.entries()) {
    const negative = new Uint32Array(memory, bytes * (index + 1), dimensions);
    negative.set(Uint32Array.from(signs, (sign) => (sign < 0 ? MINUS : 0)));
  }
  return { vector: new Float32Array(memory, 0, dimensions), spread: run };
}

/** Levels of the transform may come in any order: first those within a vector, then those between vectors. */
function rotation(bytes: number, signsAt: number): WasmCode {
  const passes: WasmCode[] = [];
  let levels = Math.log2(bytes / BYTES_OF_VECTOR);
  for (let span = BYTES_OF_VECTOR; levels > 0;) {
    const some = Math.ceil(levels / Math.ceil(levels / MAX_LEVELS));
    passes.push(betweenVectors(bytes, span, some));
    span *= 2 ** some;
    levels -= some;
  }
  return [...withinVectors(bytes, signsAt), ...passes.flat()];
}

function withinVectors(bytes: number, signsAt: number): WasmCode {
  // (a, b) becomes (b, a) + (a, -b).
  const level = (lanes: readonly number[], signs: readonly number[]): WasmCode =>
    set(FIRST, shuffled(FIRST, lanes), get(FIRST), constant(signs), XOR, ADD);
  return repeat({ local: AT, from: null, bytes, step: BYTES_OF_VECTOR }, [
    set(FIRST, load(AT, 0), load(AT, signsAt), XOR),
    level([1, 0, 3, 2], [0, MINUS, 0, MINUS]),
    level([2, 3, 0, 1], [0, 0, MINUS, MINUS]),
    store(AT, 0, FIRST),
  ]);
}

/** Several levels, beginning with the one that combines vectors `span` bytes apart. */
function betweenVectors(bytes: number, span: number, levels: number): WasmCode {
  const places = Array.from({ length: 2 ** levels }, (_, place) => place);
  const sumsAndDifferences = Array.from({ length: levels }, (_, level) =>
    places
      .filter((place) => (place & (1 << level)) === 0)
      .flatMap((place) => sumAndDifference(FIRST + place, FIRST + place + (1 << level))),
  );
  const inner = repeat({ local: AT, from: BLOCK, bytes: span, step: BYTES_OF_VECTOR }, [
    ...places.map((place) => set(FIRST + place, load(AT, place * span))),
    ...sumsAndDifferences,
    ...places.map((place) => store(AT, place * span, FIRST + place)),
  ]);
  return repeat({ local: BLOCK, from: null, bytes, step: span * places.length }, [inner]);
}

function sumAndDifference(a: number, b: number): WasmCode {
  return [
    ...set(OTHER, get(a), get(b), SUBTRACT),
    ...set(a, get(a), get(b), ADD),
    ...set(b, get(OTHER)),
  ];
}

function toUnitLength(bytes: number): WasmCode {
  const all = { local: AT, from: null, bytes, step: BYTES_OF_VECTOR };
  const inEveryLane = (number: number): WasmCode =>
    constant(Array.from({ length: 4 }, () => number));
  return [
    ...set(SUM, inEveryLane(LEAST_SQUARES)),
    ...repeat(all, [
      set(FIRST, load(AT, 0)),
      set(SUM, get(SUM), get(FIRST), get(FIRST), MULTIPLY, ADD),
    ]),
    ...set(SUM, shuffled(SUM, [2, 3, 0, 1]), get(SUM), ADD),
    ...set(SUM, shuffled(SUM, [1, 0, 3, 2]), get(SUM), ADD),
    ...set(SUM, inEveryLane(ONE), get(SUM), SQUARE_ROOT, DIVIDE),
    ...repeat(all, [set(FIRST, load(AT, 0), get(SUM), MULTIPLY), store(AT, 0, FIRST)]),
  ];
}
