/** Draws numbers uniform in [0, 1). */
export type Uniform = () => number;

/** The state of a stream of xoshiro128** (Blackman & Vigna 2018); drawing changes it. */
export type RandomStream = Int32Array;

/**
 * Creates a reproducible generator of 53-bit uniforms: xoshiro128** (Blackman & Vigna 2018), its state filled from a
 * 32-bit seed by the mixer of MurmurHash3 (as splitmix32). The same seed gives the same numbers everywhere.
 */
export function createUniform(seed: number): Uniform {
  const stream = createStream(seed);
  return () => drawUniform(stream);
}

/** Creates the stream of a 32-bit seed, as `createUniform` does. */
export function createStream(seed: number): RandomStream {
  const mix = splitMix32(seed);
  return Int32Array.of(mix(), mix(), mix(), mix());
}

/** Draws a 53-bit uniform in [0, 1) from two words. */
export function drawUniform(stream: RandomStream): number {
  return ((drawWord(stream) >>> 5) * 0x4000000 + (drawWord(stream) >>> 6)) / 0x20000000000000;
}

/** Fills an array with the next words of the stream, as signed 32-bit integers. */
export function fillWords(stream: RandomStream, words: Int32Array): void {
  let [s0 = 0, s1 = 0, s2 = 0, s3 = 0] = stream;
  // The step of `drawWord` with the state in local variables, because bootstraps draw millions of words.
  for (let i = 0; i < words.length; i++) {
    const x = Math.imul(s1, 5);
    words[i] = Math.imul((x << 7) | (x >>> 25), 9);
    const t = s1 << 9;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= t;
    s3 = (s3 << 11) | (s3 >>> 21);
  }
  stream.set([s0, s1, s2, s3]);
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

function drawWord(stream: RandomStream): number {
  const s0 = stream[0]!;
  const s1 = stream[1]!;
  const b = stream[2]! ^ s0;
  const c = stream[3]! ^ s1;
  stream[0] = s0 ^ c;
  stream[1] = s1 ^ b;
  stream[2] = b ^ (s1 << 9);
  stream[3] = rotate(c, 11);
  return Math.imul(rotate(Math.imul(s1, 5), 7), 9) >>> 0;
}

function rotate(x: number, bits: number): number {
  return (x << bits) | (x >>> (32 - bits));
}
