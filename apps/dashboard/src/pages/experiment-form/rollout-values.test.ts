import { expect, test } from "vitest";
import { checkForm } from "./check-form.ts";
import { toConfig } from "./form-to-config.ts";
import { emptyValues } from "./form-values.ts";
import { rolloutValues, stagesOf, toRollout } from "./rollout-values.ts";

const values = (rolloutStages: string, rolloutMinutes: number | null = 60) => ({
  ...{ ...emptyValues("salt"), name: "tone" },
  ...{ rolloutStages, rolloutMinutes },
});

test("stages are percents between commas; without any there is no rollout", () => {
  expect(stagesOf(values(" 1, 5%,20 ,50 "))).toEqual([1, 5, 20, 50]);
  expect(stagesOf(values(" , "))).toEqual([]);
  expect(stagesOf(values("1,,x"))).toEqual([1, Number.NaN, Number.NaN]);
  expect([toRollout(values("")), toRollout({})]).toEqual([null, null]);
  expect(rolloutValues({ stages: [1, 50], min_minutes: 9 })).toEqual({
    ...{ rolloutStages: "1, 50", rolloutMinutes: 9 },
  });
});

test("a rollout decides the coverage, which is then not sent", () => {
  const sent = toConfig(values("1, 50", 30), "running");
  expect(sent).toMatchObject({ rollout: { stages: [1, 50], min_minutes: 30 } });
  expect(sent).not.toHaveProperty("coverage");
  expect(toConfig(values(""), "running")).toMatchObject({ rollout: null, coverage: 1 });
});

test.each([
  { stages: "5, 1", minutes: 60, pointers: ["/rollout/stages"] },
  { stages: "5, 5", minutes: 60, pointers: ["/rollout/stages"] },
  { stages: "0, 5", minutes: 60, pointers: ["/rollout/stages"] },
  { stages: "5, 101", minutes: 60, pointers: ["/rollout/stages"] },
  { stages: "5, soon", minutes: 60, pointers: ["/rollout/stages"] },
  { stages: "5, 50", minutes: null, pointers: ["/rollout/min_minutes"] },
  { stages: "5, 50", minutes: 1.5, pointers: ["/rollout/min_minutes"] },
  { stages: "5, 50", minutes: 43_200, pointers: [] },
  { stages: "", minutes: null, pointers: [] },
])("$stages with $minutes minutes has faults at $pointers", ({ stages, minutes, pointers }) => {
  expect(checkForm(values(stages, minutes)).map(({ pointer }) => pointer)).toEqual(pointers);
});
