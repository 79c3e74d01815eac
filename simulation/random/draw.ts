/**
 * A seeded source of random values. It is independent of the generator of `@assay/stats`, so that an error there shows.
 */
export interface Draw {
  /** Uniform in (0, 1), never 0 or 1. */
  readonly uniform: () => number;
  readonly normal: () => number;
  /** Uniform among 0 … n − 1, for n far below 2³². */
  readonly below: (n: number) => number;
  readonly chance: (probability: number) => boolean;
  /** A 32-bit seed for a method with its own generator. */
  readonly seed: () => number;
}

/**
 * Creates the source with this name: sfc32 (Doty-Humphrey, PractRand), with its state from FNV-1a hashes of the name.
 * The same name gives the same values everywhere.
 */
export function createDraw(name: string): Draw {
  const word = sfc32(fnv1a(name, 0), fnv1a(name, 1), fnv1a(name, 2));
  const uniform = () => (word() + 0.5) / 2 ** 32;
  return {
    uniform,
    normal: normals(uniform),
    below: (n) => Math.floor(uniform() * n),
    chance: (probability) => uniform() < probability,
    seed: word,
  };
}

const ROUNDS_BEFORE_USE = 16;

function sfc32(seedA: number, seedB: number, seedC: number): () => number {
  let [a, b, c, counter] = [seedA, seedB, seedC, 1];
  const next = () => {
    const result = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return result >>> 0;
  };
  for (let round = 0; round < ROUNDS_BEFORE_USE; round++) next();
  return next;
}

/** Fowler–Noll–Vo 1a over UTF-16 code units, `variant` hashed first. */
function fnv1a(name: string, variant: number): number {
  let hash = Math.imul(0x811c9dc5 ^ variant, 0x01000193);
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash;
}

/** Box–Muller: two normals from two uniforms. */
function normals(uniform: () => number): () => number {
  let spare: number | null = null;
  return () => {
    if (spare !== null) {
      const value = spare;
      spare = null;
      return value;
    }
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    const angle = 2 * Math.PI * uniform();
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}
