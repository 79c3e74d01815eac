import type { ExperimentReplaySchema } from "@assay/contract";
import type { ExperimentUnit } from "@assay/domain";
import type { Static } from "typebox";
import { expect, test, vi } from "vitest";
import { printReplay } from "./print-replay.ts";

type Replay = Static<typeof ExperimentReplaySchema>;

const row: Replay["metrics"][number] = {
  ...{ metric: "cost", metric_version: 1, users: 600, test: "permutation", splits: 1_000 },
  ...{ false_positive_rate: 0.052, band_low: 0.033, band_high: 0.069, value: 10, effect_sd: 0.08 },
  ...{ standard_error: 0.1, smallest_effect: 0.25, largest_user_share: 0.01 },
  ...{ verdict: "correct", causes: [], detail: "As it should be." },
};

function printed(metrics: Replay["metrics"], unit?: ExperimentUnit): string {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  printReplay(
    {
      ...{ experiment_id: "e", version: 1, control: "control", splits: 1_000, permutations: 200 },
      ...{ until: "2026-03-02T00:00:00.000Z", computed_at: "2026-03-02T00:00:00.000Z", max_users: 6_000 },
      metrics,
    } as unknown as Replay,
    unit,
  );
  const text = log.mock.calls.map(([line]) => String(line)).join("\n");
  log.mockRestore();
  return text;
}

test("a replay is printed metric by metric, with what is wrong below", () => {
  const unknown = {
    ...{ false_positive_rate: null, smallest_effect: null, effect_sd: null, standard_error: null },
  };
  const text = printed([
    row,
    { ...row, metric: "p95", ...unknown, verdict: "no-data", causes: ["heavy-users"], detail: "One heavy." },
  ]);
  expect(text).toContain("A/A replay: control split at random in two, 1000 times.");
  expect(text).toMatch(/cost +600 +5\.2% \(3\.3% … 6\.9%\) +0\.25 \(2\.5%\) +0\.80 +correct/);
  expect(text).toMatch(/p95 +600 +no-data/);
  expect(text).toContain("· cost: As it should be.");
  expect(text).toContain("! p95: One heavy.");
});

test("the table is headed by what was split", () => {
  expect(printed([row])).toMatch(/^metric +users +false positives/m);
  expect(printed([row], "run")).toMatch(/^metric +runs +false positives/m);
});

test("a replay without metrics has no table", () => {
  expect(printed([])).toMatch(/the experiment has no metric\.$/);
});
