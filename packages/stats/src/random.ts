/** Draws numbers uniform in [0, 1). */
export type Uniform = () => number;

/**
 * Creates a reproducible generator of 53-bit uniforms: xoshiro128** (Blackman & Vigna 2018), its state filled from a
 * 32-bit seed by the mixer of MurmurHash3 (as splitmix32). The same seed gives the same numbers everywhere.
 */
export function createUniform(seed: number): Uniform {
  const mix = splitMix32(seed);
  const state = Uint32Array.of(mix(), mix(), mix(), mix());
  return () => ((next(state) >>> 5) * 0x4000000 + (next(state) >>> 6)) / 0x20000000000000;
}

function splitMix32(seed: number): () => number {
  let counter = seed;
  return () => {
    counter = (counter + 0x9e3779b9) | 0;
    let z = Math.imul(counter ^ (counter >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  };
}

function next(state: Uint32Array): number {
  const [s0 = 0, s1 = 0, s2 = 0, s3 = 0] = state;
  const result = Math.imul(rotate(Math.imul(s1, 5), 7), 9);
  const b = s2 ^ s0;
  const c = s3 ^ s1;
  state[0] = s0 ^ c;
  state[1] = s1 ^ b;
  state[2] = b ^ (s1 << 9);
  state[3] = rotate(c, 11);
  return result >>> 0;
}

function rotate(x: number, bits: number): number {
  return (x << bits) | (x >>> (32 - bits));
}
