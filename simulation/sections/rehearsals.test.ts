import { analyzeRehearsal } from "@assay/pipeline";
import { expect, test } from "vitest";
import { inNight } from "../../tests/in-night.ts";
import { drawRecorded } from "../populations/recorded-answers.ts";
import { createDraw } from "../random/draw.ts";
import { rehearseTwice } from "./rehearsals.ts";

test.each([
  { inputs: 400, mode: "score" },
  { inputs: 900, mode: "score" },
  { inputs: 400, mode: "pairwise" },
  { inputs: 900, mode: "pairwise" },
] as const)(
  "the recorded prompts keep their published order in 80% of draws of $inputs, by $mode",
  ({ inputs, mode }) => {
    const draws = inNight(20, 200);
    const ordered = Array.from({ length: draws }, (_, k) => {
      const { rows } = analyzeRehearsal(
        drawRecorded(createDraw(`order/${mode}/${inputs}#${k}`), { inputs, mode }),
      );
      const effectOf = (prompt: string) => rows.find(({ treatment }) => treatment === prompt)!.effect!;
      return effectOf("verbose") > 0 && effectOf("concise") < 0;
    });
    expect(ordered.filter(Boolean).length).toBeGreaterThanOrEqual(0.8 * draws);
  },
);

test.each(["clear", "any"] as const)(
  "a verdict about an edit (%s) flips in 5% of the pairs at most",
  (kind) => {
    const pairs = inNight(20, 200);
    const flips = Array.from({ length: pairs }, (_, k) => {
      const { verdicts, isWrong } = rehearseTwice(createDraw(`gate/${kind}#${k}`), kind);
      const isFlipped = verdicts[0] !== verdicts[1];
      return { isFlipped: isFlipped && (kind === "clear" || !verdicts.includes("undecided")), isWrong };
    });
    expect(flips.filter(({ isFlipped }) => isFlipped).length).toBeLessThanOrEqual(0.05 * pairs);
    expect(flips.filter(({ isWrong }) => isWrong).length).toBeLessThanOrEqual(0.05 * pairs);
  },
);
