import { expect, test } from "vitest";
import { people, users } from "../test-support/arms.ts";
import { metric } from "../test-support/runs.ts";
import { armData } from "./arm-data.ts";
import { compareArms } from "./compare-arms.ts";

test.each([
  { permutations: 1_999, used: 1_999 },
  { permutations: 2_000, used: 2_000 },
  { permutations: 10_000, used: 2_000 },
])(
  "a bootstrap has $used replicates where $permutations permutations are allowed",
  ({ permutations, used }) => {
    const arm = (name: string, seed: number) =>
      armData(
        [
          users(
            { metric: "m", arm: name },
            people(seed, 0, 20).map(({ y }) => ({ y })),
          ),
        ],
        [0],
      );
    const compared = compareArms(
      metric("m", { method: "cluster_bootstrap" }),
      [{ control: arm("control", 1), treatment: arm("treatment", 2) }],
      { permutations, seed: 1 },
    );
    expect(compared?.outcome).toMatchObject({ test: "cluster_bootstrap", permutationsUsed: used });
  },
);
