import { permuteMeans, permuteProportions, permuteRatios, type TestOutcome } from "@assay/stats";
import { sized } from "./harness/sized.ts";
import { formatFigure, formatSpread, spreadOf } from "./harness/spread.ts";
import { printTable } from "./harness/table.ts";
import { ratioOf, type Timed, timeCalls } from "./harness/time-calls.ts";

const PERMUTATIONS = 10_000;
/** Each permutation of a reference takes the same time, so a few are enough. */
const REFERENCE_PERMUTATIONS = sized(50, 1);
const ARM = sized(100_000, 20_000);
const OPTIONS = { permutations: PERMUTATIONS, seed: 1 };

/** Compares permutation tests of 200,000 users with shuffling their labels one user at a time. */
export async function benchPermutation(): Promise<void> {
  const uniform = uniforms(1);
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  const latency = (factor: number) => () => 900 * factor * Math.exp(0.8 * normal());
  const revenue = (factor: number) => () => (uniform() < 0.04 ? 20 * factor * Math.exp(normal()) : 0);
  const grade = (lift: number) => () => Math.min(5, 1 + Math.floor(4 * uniform() + lift));
  const means = (control: () => number, treatment: () => number, small = ARM) => {
    const strata = [{ control: draw(2 * ARM - small, control), treatment: draw(small, treatment) }];
    return () => permuteMeans(strata, OPTIONS);
  };
  const ratios = [{ control: drawCalls(uniform, latency(1)), treatment: drawCalls(uniform, latency(1.1)) }];
  const converted = [
    { control: { n: ARM, successes: 0.05 * ARM }, treatment: { n: ARM, successes: 0.056 * ARM } },
  ];
  const pooled = draw(2 * ARM, latency(1));
  const candidates: readonly Timed[] = [
    reference("shuffling values", valueShuffler(pooled.slice())),
    reference("shuffling labels", labelShuffler(pooled)),
    candidate("continuous (latency per user)", means(latency(1), latency(1.05))),
    candidate("ratio (latency per call)", () => permuteRatios(ratios, OPTIONS)),
    candidate("4% not zero (revenue)", means(revenue(1), revenue(1.5))),
    candidate("five values (grades)", means(grade(0), grade(0.2))),
    candidate("binary (conversion)", () => permuteProportions(converted, OPTIONS)),
    candidate("continuous, 20,000 users against 180,000", means(latency(1), latency(1.1), ARM / 5)),
    candidate("continuous without an effect: stops early", means(latency(1), latency(1)), false),
  ];
  const [values, labels, ...tests] = await timeCalls(candidates);
  const seconds = (times: readonly number[]) => spreadOf(times.map((ns) => (ns * PERMUTATIONS) / 1e9));
  const rows = tests.map((times, index) => [
    candidates[index + 2]!.name,
    formatSpread(ratioOf(values!, times)),
    formatSpread(ratioOf(labels!, times)),
    formatSpread(seconds(times)),
  ]);
  printTable(
    "permutation",
    `A test on ${(2 * ARM).toLocaleString("en-US")} users with ${PERMUTATIONS.toLocaleString("en-US")} permutations, on one thread, compared with two references. **Values**: Fisher–Yates of a typed array of the values with \`Math.random\`, then mean and variance of each arm (${formatFigure(seconds(values!).median)} s). **Labels**: Fisher–Yates of a byte per user with xoshiro128** in local variables, then both sums of one arm in one pass (${formatFigure(seconds(labels!).median)} s). Ratios are reference ÷ test; median (min–max) of the rounds.`,
    [["metric", "values ÷ test", "labels ÷ test", "s"], ...rows],
  );
}

/** Times a few of a reference's permutations. */
function reference(name: string, permute: () => number): Timed {
  const run = () => Array.from({ length: REFERENCE_PERMUTATIONS }, permute).reduce((a, b) => a + b);
  return { name, calls: REFERENCE_PERMUTATIONS, run };
}

/**
 * Times one test with this many permutations. It must use all of them, unless it is expected to stop early.
 */
function candidate(name: string, test: () => TestOutcome | null, usesAll = true): Timed {
  const used = test()?.permutationsUsed ?? 0;
  if ((used === PERMUTATIONS) !== usesAll) throw new Error(`${name}: ${used} permutations`);
  return { name, calls: PERMUTATIONS, run: () => test()?.pValue ?? 0 };
}

function draw(users: number, value: () => number): Float64Array {
  return Float64Array.from({ length: users }, value);
}

function drawCalls(uniform: () => number, latency: () => number) {
  const d = draw(ARM, () => 1 + Math.floor(-5 * Math.log(1 - uniform())));
  return { y: d.map((calls) => calls * latency()), d };
}

/**
 * Shuffles the values in place and returns the studentized difference of the two halves: a careful, direct
 * implementation.
 */
function valueShuffler(values: Float64Array): () => number {
  const momentsOf = (from: number, to: number) => {
    let sum = 0;
    for (let i = from; i < to; i++) sum += values[i]!;
    const mean = sum / (to - from);
    let m2 = 0;
    for (let i = from; i < to; i++) m2 += (values[i]! - mean) ** 2;
    return { mean, variance: m2 / (to - from - 1) / (to - from) };
  };
  return () => {
    for (let i = values.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      const value = values[i]!;
      values[i] = values[j]!;
      values[j] = value;
    }
    const [first, second] = [momentsOf(0, ARM), momentsOf(ARM, values.length)];
    return (first.mean - second.mean) / Math.sqrt(first.variance + second.variance);
  };
}

/**
 * Shuffles all labels, sums the scores of one arm and their squares, and returns the studentized difference.
 */
function labelShuffler(scores: Float64Array): () => number {
  const labels = Uint8Array.from(scores, (_, i) => (i < ARM ? 1 : 0));
  const total = sumsOf(scores, new Uint8Array(scores.length).fill(1));
  const state = Int32Array.of(1, 2, 3, 4);
  return () => {
    shuffle(labels, state);
    const first = sumsOf(scores, labels);
    const second = { sum: total.sum - first.sum, squares: total.squares - first.squares };
    const spread = (of: typeof first) => (of.squares - of.sum ** 2 / ARM) / (ARM - 1) / ARM;
    return (first.sum - second.sum) / ARM / Math.sqrt(spread(first) + spread(second));
  };
}

function shuffle(labels: Uint8Array, state: Int32Array): void {
  let [s0 = 0, s1 = 0, s2 = 0, s3 = 0] = state;
  for (let i = labels.length - 1; i > 0; i--) {
    const x = Math.imul(s1, 5);
    const word = Math.imul((x << 7) | (x >>> 25), 9) >>> 0;
    const t = s1 << 9;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= t;
    s3 = (s3 << 11) | (s3 >>> 21);
    const j = Math.floor((word * (i + 1)) / 2 ** 32);
    const label = labels[i]!;
    labels[i] = labels[j]!;
    labels[j] = label;
  }
  state.set([s0, s1, s2, s3]);
}

function sumsOf(scores: Float64Array, labels: Uint8Array): { sum: number; squares: number } {
  let [sum, squares] = [0, 0];
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i]! * labels[i]!;
    sum += score;
    squares += score * score;
  }
  return { sum, squares };
}

/** Draws uniform numbers in [0, 1) with mulberry32. */
function uniforms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const a = Math.imul(state ^ (state >>> 15), 1 | state);
    const b = (a + Math.imul(a ^ (a >>> 7), 61 | a)) ^ a;
    return ((b ^ (b >>> 14)) >>> 0) / 2 ** 32;
  };
}
