/*
 * As much of WebAssembly (https://www.w3.org/TR/wasm-core-2/) as our kernels need. An instruction is its bytes; one that
 * takes vectors stands after those that bring them.
 */
export type WasmCode = readonly number[];

/** A vector of four 32-bit floating-point numbers. */
export const BYTES_OF_VECTOR = 16;
/** `\0asm`, version 1. */
const MAGIC = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const PAGE_BYTES = 65_536;
const I32 = 0x7f;
const V128 = 0x7b;
const NO_RESULT = 0x40;

export const ADD = simd(0xe4);
export const SUBTRACT = simd(0xe5);
export const MULTIPLY = simd(0xe6);
export const DIVIDE = simd(0xe7);
export const SQUARE_ROOT = simd(0xe3);
export const XOR = simd(0x51);

/** A vector with these bits, 32 of each lane. */
export function constant(bits: readonly number[]): WasmCode {
  return [...simd(0x0c), ...new Uint8Array(Uint32Array.from(bits).buffer)];
}

/** The lanes of a local vector in another order. */
export function shuffled(local: number, lanes: readonly number[]): WasmCode {
  const bytes = lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte));
  return [...get(local), ...get(local), ...simd(0x0d), ...bytes];
}

/** The vector `offset` bytes after the address in a local. */
export function load(address: number, offset: number): WasmCode {
  return [...get(address), ...simd(0x00), ...at(offset)];
}

/** Stores a local vector there. */
export function store(address: number, offset: number, local: number): WasmCode {
  return [...get(address), ...get(local), ...simd(0x0b), ...at(offset)];
}

export function get(local: number): WasmCode {
  return [0x20, ...unsigned(local)];
}

export function set(local: number, ...value: WasmCode[]): WasmCode {
  return [...value.flat(), 0x21, ...unsigned(local)];
}

/** Repeats `body` with an address in `local`: from that in the local `from`, or 0, in steps, for that many bytes. */
export function repeat(
  { local, from, bytes, step }: { local: number; from: number | null; bytes: number; step: number },
  body: readonly WasmCode[],
): WasmCode {
  const start = from === null ? [0x41, 0] : get(from);
  const advance = [...get(local), 0x41, ...signed(step), 0x6a, 0x22, ...unsigned(local)];
  const done = from === null ? [] : [...get(from), 0x6b];
  const isLess = [0x41, ...signed(bytes), 0x49];
  const branch = [0x0d, 0];
  const loop = [0x03, NO_RESULT, ...body.flat(), ...advance, ...done, ...isLess, ...branch, 0x0b];
  return [...set(local, start), ...loop];
}

/**
 * Compiles a function without parameters and the memory that it works on. Its first locals are addresses, the others
 * vectors.
 */
export function compileKernel(
  { addresses, vectors, bytes }: { addresses: number; vectors: number; bytes: number },
  body: readonly WasmCode[],
): { memory: ArrayBuffer; run: () => void } {
  const locals = list([
    [...unsigned(addresses), I32],
    [...unsigned(vectors), V128],
  ]);
  const binary = Uint8Array.from([
    ...MAGIC,
    ...section(1, list([[0x60, 0, 0]])),
    ...section(3, list([[0]])),
    ...section(5, list([[0, ...unsigned(Math.ceil(bytes / PAGE_BYTES))]])),
    ...section(
      7,
      list([
        [...name('memory'), 2, 0],
        [...name('run'), 0, 0],
      ]),
    ),
    ...section(10, list([sized([...locals, ...body.flat(), 0x0b])])),
  ]);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(binary));
  // They are what section 7 says.
  return { memory: (exports.memory as WebAssembly.Memory).buffer, run: exports.run as () => void };
}

function simd(code: number): WasmCode {
  return [0xfd, ...unsigned(code)];
}

/** An offset, and that the address is a multiple of 16. */
function at(offset: number): WasmCode {
  return [4, ...unsigned(offset)];
}

function section(id: number, content: WasmCode): WasmCode {
  return [id, ...sized(content)];
}

function name(text: string): WasmCode {
  return sized([...Buffer.from(text)]);
}

function list(items: readonly WasmCode[]): WasmCode {
  return [...unsigned(items.length), ...items.flat()];
}

function sized(content: WasmCode): WasmCode {
  return [...unsigned(content.length), ...content];
}

/** LEB128. */
function unsigned(value: number): WasmCode {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** LEB128 of a number that is not negative, where a sign is expected. */
function signed(value: number): WasmCode {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
}
