import type { ReactNode } from "react";
import type { MetricResult, Results } from "../../../api/types.ts";
import { count, counted, number, pEquals } from "../../../format/numbers.ts";
import { runTitle } from "../../../format/times.ts";
import { Facts } from "../../../ui/Facts.tsx";
import { Time } from "../../../ui/Time.tsx";
import "./results.css";

/** How a run was computed. */
export function RunFacts({ run }: { readonly run: Results }) {
  return (
    <>
      <Facts facts={factsOf(run)} />
      <p className="run-facts-note">
        A row is significant if its corrected p is below 0.05. The corrected p is valid for one look at the
        planned end; the always-valid interval holds at every look. Retention deletes raw events, not the
        numbers that results are computed from.
      </p>
    </>
  );
}

function factsOf(run: Results): readonly (readonly [string, ReactNode])[] {
  const rows = Object.values(run.results);
  return [
    ["Run", runTitle(run)],
    ["Computed", <Time key="at" at={run.computed_at} />],
    [
      "Window",
      run.window.from === null ? (
        "no users"
      ) : (
        <span key="window">
          <Time at={run.window.from} /> to <Time at={run.window.to} />
        </span>
      ),
    ],
    ...(run.withheld_by !== null ? [] : methodOf(rows)),
    ["Traffic split", splitInWords(run)],
    ["Set aside", run.exclusions === 0 ? "nothing" : `entries up to ${run.exclusions}`],
    ["Prices", run.price_list ? `as of ${run.price_list.as_of} (${run.price_list.fingerprint})` : "not kept"],
    ["Experiment version", String(run.version)],
    ["Seed", run.seed === null ? "not kept" : String(run.seed)],
    ["Assay", run.code_version || "not kept"],
  ];
}

function splitInWords({ srm: { status, p_value: p, threshold, observed } }: Results): string {
  if (Object.values(observed).every((users) => users === 0)) return "nobody counts yet";
  const words = status === "passed" ? "as allocated" : "off, results withheld";
  return `${words}, ${pEquals(p)} (withheld below ${number(threshold)})`;
}

function methodOf(rows: readonly MetricResult[]): readonly (readonly [string, string])[] {
  const cap = Math.max(0, ...rows.map((row) => row.sample_cap_used));
  const permutations = Math.max(0, ...rows.map((row) => row.permutations_used));
  const adjusted = [...new Set(rows.filter(({ cuped }) => cuped !== null).map(({ metric }) => metric))];
  return [
    ["Correction", `over ${counted(rows.length, "comparison")} (Benjamini–Hochberg)`],
    ["Tests", [...new Set(rows.map(({ test }) => test))].join(", ") || "none"],
    ["Users analyzed", cap === 0 ? "all" : `at most ${count(cap)} per variant`],
    ["Permutations", permutations === 0 ? "none (closed form)" : count(permutations)],
    ["CUPED adjustment", adjusted.length === 0 ? "none" : adjusted.join(", ")],
  ];
}
