import { createStream, fillWords } from "../random.ts";

/** Returns how often each user counts. */
export type Multiplicities = (users: number) => Uint8Array;

/** The original data: every user counts once. */
export const onceEach: Multiplicities = (users) => new Uint8Array(users).fill(1);

const CHANCES = 2 ** 16;
const TABLE = poissonTable();

/**
 * Starts the draws of one bootstrap replicate: Poisson with mean 1, independent for each user. With many users this approximates
 * resampling with replacement (Hanley & MacGibbon 2006). Probabilities are rounded to 2⁻¹⁶.
 */
export function poissonMultiplicities(seed: number): Multiplicities {
  const stream = createStream(seed);
  return (users) => {
    const words = new Int32Array(Math.ceil(users / 2));
    fillWords(stream, words);
    const times = new Uint8Array(users);
    for (let user = 0; user < users; user++) {
      const word = words[user >>> 1]!;
      times[user] = TABLE[(user & 1) === 0 ? word >>> 16 : word & 0xffff]!;
    }
    return times;
  };
}

/** Lists the multiplicity for each of 2¹⁶ equally likely values. */
function poissonTable(): Uint8Array {
  const table = new Uint8Array(CHANCES);
  let [events, chance, cumulative] = [0, Math.exp(-1), Math.exp(-1)];
  for (let i = 0; i < CHANCES; i++) {
    while (i + 0.5 > cumulative * CHANCES) {
      events++;
      chance /= events;
      cumulative += chance;
    }
    table[i] = events;
  }
  return table;
}
