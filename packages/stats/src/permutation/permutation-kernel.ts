import { PERMUTATION_KERNEL } from "./permutation-kernel-code.ts";

/** Declared here, because the language's own types, the only ones that this package uses, do not include it. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** The functions of `permutation-kernel.wat`, which describes them. */
interface KernelFunctions {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  draw(word: number, wordEnd: number, or: number): void;
  tabulate(score: number): void;
  add(word: number, wordEnd: number, mask: number, pair: number, size: number): void;
  repair(
    ...of: [word: number, stride: number, score: number, count: number, pair: number, surplus: number]
  ): void;
  deal(card: number, count: number, word: number, dealt: number): void;
  sumPairs(card: number, cardEnd: number, pair: number): void;
  collect(card: number, cardEnd: number): number;
  shift(
    ...of: [
      ...[pair: number, pairEnd: number, both: number, shift: number],
      ...[weights: number, otherWeights: number, mean: number, otherMean: number, scale: number],
    ]
  ): void;
  squareShifts(shift: number, shiftEnd: number): number;
}

/** The kernel's functions and its memory. The address of an array in it is its `byteOffset`. */
export interface PermutationKernel extends KernelFunctions {
  /** The stream's state. */
  readonly state: Int32Array;
  /** Allocates from the requested 64-bit floats; they are 0. */
  floats(length: number): Float64Array;
  /** Allocates from the requested 32-bit integers; they are 0. */
  integers(length: number): Int32Array;
}

const PAGE_BYTES = 65_536;
/** First free address: the state and the tables come before it. */
const FIRST_FREE = 16_400;
/** An instance with more memory is not kept. */
const MOST_KEPT_BYTES = 16 * 1024 * 1024;

let compiled: object | null = null;
let kept: KernelFunctions | null = null;

/** Opens the kernel with memory for this many numbers. The caller may use it until it is opened again. */
export function openKernel(size: { readonly floats: number; readonly integers: number }): PermutationKernel {
  const integersAt = FIRST_FREE + 8 * size.floats;
  const needed = integersAt + 4 * size.integers;
  const functions = functionsFor(needed);
  const missing = needed - functions.memory.buffer.byteLength;
  if (missing > 0) functions.memory.grow(Math.ceil(missing / PAGE_BYTES));
  const { buffer } = functions.memory;
  new Uint8Array(buffer, FIRST_FREE, needed - FIRST_FREE).fill(0);
  let [nextFloat, nextInteger] = [FIRST_FREE, integersAt];
  return {
    ...functions,
    state: new Int32Array(buffer, 0, 4),
    floats: (length) => {
      nextFloat += 8 * length;
      return new Float64Array(buffer, nextFloat - 8 * length, length);
    },
    integers: (length) => {
      nextInteger += 4 * length;
      return new Int32Array(buffer, nextInteger - 4 * length, length);
    },
  };
}

/** An instance reserves gigabytes of address space until it is garbage-collected, so small tests share one. */
function functionsFor(bytes: number): KernelFunctions {
  if (bytes > MOST_KEPT_BYTES) return instantiate();
  kept ??= instantiate();
  return kept;
}

function instantiate(): KernelFunctions {
  compiled ??= new WebAssembly.Module(
    Uint8Array.from(atob(PERMUTATION_KERNEL), (byte) => byte.charCodeAt(0)),
  );
  return new WebAssembly.Instance(compiled).exports as KernelFunctions;
}
