import { dealBuckets } from "@assay/domain";
import { sized } from "./harness/sized.ts";
import { formatSpread, spreadOf } from "./harness/spread.ts";
import { printTable } from "./harness/table.ts";
import { ratioOf, type Timed, timeCalls } from "./harness/time-calls.ts";

const BUCKETS = sized(1_000_000, 2_000);

/** Compares `dealBuckets` for a million buckets with filling a typed array of that length. */
export async function benchDealBuckets(): Promise<void> {
  const weights = ["base", "concise", "verbose"].map((variant) => ({ variant, weight: 1 }));
  const fresh = { bucketCount: BUCKETS, current: null, claimed: [], weights, coverage: 1 };
  const shifted = weights.map((slice, index) => ({ ...slice, weight: index + 1 }));
  const held = Array.from({ length: BUCKETS / 2 }, (_, index) => 2 * index);
  const again = { ...fresh, current: dealBuckets(fresh), weights: shifted, claimed: held };
  const candidates: readonly Timed[] = [
    { name: "fill", calls: 1, run: () => new Int32Array(BUCKETS).fill(-1).length },
    { name: "deal a new experiment", calls: 1, run: () => dealBuckets(fresh).length },
    {
      name: "deal again with new weights, every other bucket claimed",
      calls: 1,
      run: () => dealBuckets(again).length,
    },
  ];
  const [fill, ...deals] = await timeCalls(candidates);
  const rows = deals.map((times, index) => [
    candidates[index + 1]!.name,
    "`Int32Array.fill`",
    formatSpread(ratioOf(times, fill!)),
    formatSpread(spreadOf(times.map((ns) => ns / 1e6))),
  ]);
  printTable(
    "deal",
    `Time for ${BUCKETS.toLocaleString("en-US")} buckets ÷ time to allocate and fill a typed array of that length. Median (min–max) of the rounds.`,
    [["work", "reference", "time, work ÷ reference", "ms"], ...rows],
  );
}
