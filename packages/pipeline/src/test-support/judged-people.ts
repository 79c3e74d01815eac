import type { ScoredCall } from "@assay/domain";
import { uniforms } from "./arms.ts";
import { scored } from "./judged.ts";

interface People {
  readonly arm: string;
  readonly users: number;
  /** Share of good answers, according to people. */
  readonly good: number;
  /** How much more often the judge passes an answer than people do. */
  readonly leniency?: number;
  /** Number of calls that are labeled, from the first. */
  readonly labels?: number;
  readonly probability?: number;
}

/** Judged calls, one per user. Apart from its leniency, the judge is right nine times in ten. */
export function judgedPeople(seed: number, parts: People): readonly ScoredCall[] {
  const { arm, users, good, leniency = 0, labels = 0, probability = 1 } = parts;
  const uniform = uniforms(seed);
  return Array.from({ length: users }, (_, index) => {
    const isGood = uniform() < good;
    const isRight = uniform() < 0.9;
    const isLenient = uniform() < leniency;
    return scored({
      eventId: `${arm}-${String(index).padStart(6, "0")}`,
      arm,
      probability,
      score: isLenient || isGood === isRight ? 1 : 0,
      label: index < labels ? (isGood ? 1 : 0) : null,
    });
  });
}
