import { type Experiment, firstVersion, nextVersion } from "@assay/domain";
import { expect, test } from "vitest";
import vectors from "../../../vectors/assign.json" with { type: "json" };
import { toWireClientConfig } from "./wire-config.ts";

test("clients get a shipped experiment with a holdback as the vectors have it, as a running one", () => {
  const expected = vectors.config.experiments.find(({ name }) => name === "held-back")!;
  const running: Experiment = {
    ...{ id: expected.id, orgId: "o", version: 1, servedAt: null, isDemo: false, createdAt: 0, updatedAt: 0 },
    ...firstVersion({
      ...{ name: "held-back", salt: "assign", bucketCount: 1_000, metrics: [] },
      allocation: ["control", "treatment"].map((variant) => ({ variant, weight: 1 })),
    }),
  };
  const change = { status: "shipped", shippedVariant: "treatment", holdback: { percent: 5 } } as const;
  const shipped = { ...running, ...nextVersion(running, change, new Set()), version: 2 };
  const { experiments } = toWireClientConfig("publishable", 7, [shipped], new Map());
  expect(experiments).toMatchObject([expected]);
  expect(experiments[0]).not.toHaveProperty("shipped");
});
