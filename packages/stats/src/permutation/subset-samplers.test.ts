import { describe, expect, test } from "vitest";
import { createStream, fillWords, type RandomStream } from "../random.ts";
import type { ArmSampler } from "./arm-sums.ts";
import { blockSampler } from "./block-sums.ts";
import { fisherYatesSampler } from "./fisher-yates.ts";
import { countSampler } from "./permute-counts.ts";

/** Score i is 2^i, so that a subset's sum names its members. */
const powers = (n: number) => Float64Array.from({ length: n }, (_, i) => 2 ** i);

type Create = (scores: Float64Array, size: number) => ArmSampler;
const samplers: readonly (readonly [name: string, create: Create])[] = [
  ["Fisher–Yates", (scores, size) => fisherYatesSampler(scores, () => size)],
  ["blocks", (scores, size) => blockSampler(scores, { share: size / scores.length, drawSize: () => size })],
  ["blocks of a wrong share", (scores, size) => blockSampler(scores, { share: 0.5, drawSize: () => size })],
];

/** The sums of many subsets, drawn in batches as a test does. */
function drawMany(sampler: ArmSampler, batches: number) {
  const draws = Array.from({ length: batches }, (_, batch) => sampler(createStream(batch), 500));
  return draws.flatMap(({ sum, squares }) =>
    Array.from(sum, (value, i) => ({ sum: value, squares: squares[i]! })),
  );
}

function members(sum: number): number[] {
  return [...sum.toString(2)].toReversed().flatMap((bit, i) => (bit === "1" ? [i] : []));
}

function chiSquareOf(counts: Iterable<number>, expected: number): number {
  return [...counts].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe.each(samplers)("%s", (_, create) => {
  test.each([3, 5, 8])("draws every subset of %i of 10 users equally often", (size) => {
    const counts = new Map<number, number>();
    for (const { sum } of drawMany(create(powers(10), size), 42)) counts.set(sum, (counts.get(sum) ?? 0) + 1);
    const subsets = { 3: 120, 5: 252, 8: 45 }[size]!;
    expect(counts.size).toBe(subsets);
    expect(chiSquareOf(counts.values(), 21_000 / subsets)).toBeLessThan(subsets + 4 * Math.sqrt(2 * subsets));
  });

  test.each([0, 1, 17, 45, 49, 50])("keeps a size of %i of 50 users, and draws each as often", (size) => {
    const counts = new Array<number>(50).fill(0);
    const drawn = drawMany(create(powers(50), size), 8).map(({ sum }) => members(sum));
    for (const subset of drawn) {
      expect(subset.length).toBe(size);
      for (const user of subset) counts[user]!++;
    }
    expect(chiSquareOf(counts, Math.max(1e-9, (4_000 * size) / 50))).toBeLessThan(50 + 4 * Math.sqrt(100));
  });

  test("adds up the squares of the same users", () => {
    for (const { sum, squares } of drawMany(create(powers(24), 9), 1)) {
      expect(squares).toBe(members(sum).reduce((total, user) => total + 4 ** user, 0));
    }
  });

  test("draws a batch the same whatever the previous batch was", () => {
    const sampler = create(powers(40), 13);
    const fresh = sampler(createStream(5), 20);
    sampler(createStream(6), 64);
    expect(sampler(createStream(5), 20)).toEqual(fresh);
  });
});

function drawWord(stream: RandomStream): number {
  const word = new Int32Array(1);
  fillWords(stream, word);
  return word[0]! >>> 0;
}

/** Turns a word into a number below n (Lemire 2019); draws others while it is one of the few that would favor some numbers. */
function below(word: number, n: number, stream: RandomStream): number {
  const product = BigInt(word) * BigInt(n);
  if (product % 2n ** 32n < 2n ** 32n % BigInt(n)) return below(drawWord(stream), n, stream);
  return Number(product / 2n ** 32n);
}

const drawBelow = (stream: RandomStream, n: number) => below(drawWord(stream), n, stream);

/** The sums of `fisherYatesSampler`, card by card; and whether a word was refused. */
function plainDeals(scores: Float64Array, size: number) {
  const deck = scores.slice();
  return (stream: RandomStream) => {
    const words = new Int32Array(size);
    fillWords(stream, words);
    const before = stream.slice();
    let [sum, squares] = [0, 0];
    words.forEach((word, i) => {
      const j = i + below(word >>> 0, deck.length - i, stream);
      const score = deck[j]!;
      deck[j] = deck[i]!;
      deck[i] = score;
      sum += score;
      squares += score * score;
    });
    return { sum, squares, hasRefused: before.some((word, i) => word !== stream[i]) };
  };
}

/** The sums of `blockSampler` word by word, for a chance whose binary digits are given, the last one first. */
function plainSums(scores: Float64Array, digits: readonly number[], size: number) {
  return (stream: RandomStream, relabelings: number) => {
    const words: Int32Array[] = [];
    const [sum, squares] = [new Float64Array(relabelings), new Float64Array(relabelings)];
    for (let first = 0; first < scores.length; first += 32) {
      const row = new Int32Array(relabelings);
      for (const digit of digits) {
        const drawn = new Int32Array(relabelings);
        fillWords(stream, drawn);
        drawn.forEach((word, p) => {
          row[p] = digit === 1 ? row[p]! | word : row[p]! & word;
        });
      }
      words.push(row);
      const isMember = (p: number, user: number) => user < scores.length && (row[p]! >>> (user - first)) & 1;
      // Sums of eight users each, because floating-point sums depend on the order.
      const eight = (p: number, start: number, power: number) => {
        let total = 0;
        for (let user = start; user < start + 8; user++)
          if (isMember(p, user)) total += scores[user]! ** power;
        return total;
      };
      for (let p = 0; p < relabelings; p++) {
        const of = (power: number) => {
          const [a, b, c, d] = [0, 8, 16, 24].map((step) => eight(p, first + step, power));
          return a! + b! + (c! + d!);
        };
        sum[p]! += of(1);
        squares[p]! += of(2);
      }
    }
    const labelOf = (p: number, user: number) => (words[user >>> 5]![p]! >>> (user & 31)) & 1;
    for (let p = 0; p < relabelings; p++) {
      let surplus = -size;
      for (let user = 0; user < scores.length; user++) surplus += labelOf(p, user);
      while (surplus !== 0) {
        const user = drawBelow(stream, scores.length);
        if (labelOf(p, user) !== Number(surplus > 0)) continue;
        const step = surplus > 0 ? -1 : 1;
        words[user >>> 5]![p]! ^= 1 << (user & 31);
        sum[p]! += step * scores[user]!;
        squares[p]! += step * scores[user]! ** 2;
        surplus += step;
      }
    }
    return { sum, squares };
  };
}

describe("the kernel's sums have the bits of the plain ones", () => {
  const scoresOf = (users: number) => {
    const stream = createStream(users);
    return Float64Array.from({ length: users }, () => drawBelow(stream, 1e9) / 3e8 - 1.5);
  };

  test.each([
    { users: 1, size: 1, share: 0.5, digits: [1] },
    { users: 31, size: 12, share: 0.5, digits: [1] },
    { users: 64, size: 32, share: 0.5, digits: [1] },
    { users: 1_001, size: 500, share: 0.5, digits: [1] },
    { users: 700, size: 175, share: 0.25, digits: [1, 0] },
    { users: 700, size: 525, share: 0.75, digits: [1, 1] },
    { users: 3_000, size: 900, share: 0.3125, digits: [1, 0, 1, 0] },
  ])("of $size of $users users, drawn with a chance of $share", ({ users, size, share, digits }) => {
    const scores = scoresOf(users);
    const [drawn, plain] = [createStream(3), createStream(3)];
    const [sampler, plainly] = [
      blockSampler(scores, { share, drawSize: () => size }),
      plainSums(scores, digits, size),
    ];
    for (const relabelings of [100, 7])
      expect(sampler(drawn, relabelings)).toEqual(plainly(plain, relabelings));
    expect(drawn).toEqual(plain);
  });
});

test.each([
  { users: 2, size: 1, refuses: false },
  { users: 50, size: 3, refuses: false },
  { users: 300_001, size: 30_000, refuses: true },
])("dealt sums of $size of $users users have the bits of the plain ones", ({ users, size, refuses }) => {
  const scores = Float64Array.from({ length: users }, (_, i) => Math.sin(i));
  const [dealt, plain] = [createStream(3), createStream(3)];
  const sums = fisherYatesSampler(scores, () => size)(dealt, 4);
  const deal = plainDeals(scores, size);
  const plainSums = Array.from({ length: 4 }, () => deal(plain));
  expect(sums.sum).toEqual(Float64Array.from(plainSums, ({ sum }) => sum));
  expect(sums.squares).toEqual(Float64Array.from(plainSums, ({ squares }) => squares));
  expect(plainSums.some(({ hasRefused }) => hasRefused)).toBe(refuses);
  expect(dealt).toEqual(plain);
});

test("a sample that is too large for the memory that is kept has every subset's size", () => {
  const ones = new Float64Array(300_000).fill(1);
  const sampler = blockSampler(ones, { share: 0.5, drawSize: () => 150_000 });
  const sizes = new Float64Array(512).fill(150_000);
  for (const seed of [3, 4]) expect(sampler(createStream(seed), 512)).toEqual({ sum: sizes, squares: sizes });
});

test("samplers that draw in turn do not touch each other's draws", () => {
  const [one, other] = [
    blockSampler(powers(40), { share: 0.5, drawSize: () => 20 }),
    blockSampler(powers(50), { share: 0.5, drawSize: () => 25 }),
  ];
  const alone = [one(createStream(1), 64), one(createStream(2), 64)];
  const first = one(createStream(1), 64);
  other(createStream(9), 512);
  expect([first, one(createStream(2), 64)]).toEqual(alone);
});

test("the counts of each value in the first arm have the multivariate hypergeometric probabilities", () => {
  const sampler = countSampler({ values: [1, 100, 10_000], totals: [3, 4, 5] }, 6);
  const counts = new Map<number, number>();
  for (const { sum, squares } of drawMany(sampler, 42)) {
    const [low, middle, high] = [sum % 100, Math.floor(sum / 100) % 100, Math.floor(sum / 10_000)];
    expect(low + middle + high).toBe(6);
    expect(squares).toBe(low + 1e4 * middle + 1e8 * high);
    counts.set(sum, (counts.get(sum) ?? 0) + 1);
  }
  const choose = [
    [1, 3, 3, 1, 0, 0],
    [1, 4, 6, 4, 1, 0],
    [1, 5, 10, 10, 5, 1],
  ];
  let [chiSquare, cells] = [0, 0];
  for (let low = 0; low <= 3; low++) {
    for (let middle = Math.max(0, 1 - low); middle <= 4 && low + middle <= 6; middle++) {
      const high = 6 - low - middle;
      const ways = choose[0]![low]! * choose[1]![middle]! * choose[2]![high]!;
      const expected = (21_000 * ways) / 924;
      chiSquare += ((counts.get(low + 100 * middle + 10_000 * high) ?? 0) - expected) ** 2 / expected;
      cells++;
    }
  }
  expect(chiSquare).toBeLessThan(cells + 4 * Math.sqrt(2 * cells));
});
