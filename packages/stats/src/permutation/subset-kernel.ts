import { SUBSET_KERNEL } from "./subset-kernel-code.ts";

/** The language's own types do not have it, and this package uses no others. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** The functions of `subset-kernel.wat`, which says what they do. */
interface KernelFunctions {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly draw: (word: number, wordEnd: number, or: number) => void;
  readonly tabulate: (score: number) => void;
  readonly add: (word: number, wordEnd: number, mask: number, pair: number, size: number) => void;
  readonly repair: (
    ...of: [word: number, stride: number, score: number, count: number, pair: number, surplus: number]
  ) => void;
}

/** The kernel's functions and its memory, whose parts have their address as `byteOffset`. */
export interface SubsetKernel extends KernelFunctions {
  /** The stream's state. */
  readonly state: Int32Array;
  readonly scores: Float64Array;
  /** A sum and the sum of the squares for each relabeling. */
  readonly pairs: Float64Array;
  readonly sizes: Int32Array;
  readonly words: Int32Array;
}

/** How many of each there are. */
interface KernelParts {
  readonly scores: number;
  readonly relabelings: number;
  readonly words: number;
}

const PAGE = 65_536;
/** The state and the tables come before. */
const FIRST_FREE = 16_400;
/** An instance with more memory is not kept. */
const MOST_KEPT = 16 * 1024 * 1024;

let compiled: object | null = null;
let kept: KernelFunctions | null = null;

/** Lays out the kernel's memory: all is 0. It is the caller's until the next one calls. */
export function openKernel({ scores, relabelings, words }: KernelParts): SubsetKernel {
  const needed = FIRST_FREE + 8 * (scores + 2 * relabelings) + 4 * (relabelings + words);
  const functions = functionsFor(needed);
  const missing = needed - functions.memory.buffer.byteLength;
  if (missing > 0) functions.memory.grow(Math.ceil(missing / PAGE));
  const { buffer } = functions.memory;
  let end = FIRST_FREE;
  const floats = (length: number) => {
    end += 8 * length;
    return new Float64Array(buffer, end - 8 * length, length);
  };
  const integers = (length: number) => {
    end += 4 * length;
    return new Int32Array(buffer, end - 4 * length, length);
  };
  return {
    ...functions,
    state: new Int32Array(buffer, 0, 4),
    pairs: floats(2 * relabelings).fill(0),
    scores: floats(scores).fill(0),
    sizes: integers(relabelings).fill(0),
    words: integers(words).fill(0),
  };
}

/** An instance reserves gigabytes of addresses until it is collected. So there may be few, and small samples share one. */
function functionsFor(bytes: number): KernelFunctions {
  if (bytes > MOST_KEPT) return instantiate();
  kept ??= instantiate();
  return kept;
}

function instantiate(): KernelFunctions {
  compiled ??= new WebAssembly.Module(Uint8Array.from(atob(SUBSET_KERNEL), (byte) => byte.charCodeAt(0)));
  return new WebAssembly.Instance(compiled).exports as KernelFunctions;
}
