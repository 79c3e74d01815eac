import type { ReactNode } from "react";
import type { MetricResult, Results } from "../../../api/types.ts";
import { count, counted, number, pValue } from "../../../format/numbers.ts";
import { runName } from "../../../format/times.ts";
import { Facts } from "../../../ui/Facts.tsx";
import { Time } from "../../../ui/Time.tsx";
import "./results.css";

/** The small print of a run. */
export function RunFacts({ run }: { readonly run: Results }) {
  return (
    <>
      <Facts facts={factsOf(run)} />
      <p className="run-facts-note">
        A row is clear if its corrected p is below 0.05, and by nothing else. The always-valid interval holds
        however often one looks; the corrected p is for one look at the planned end.
        {Object.values(run.results).some((row) => row.retention_truncated)
          ? " Some metrics are younger than raw events that have expired: they lack those."
          : " The plan's retention removes texts, not the numbers that this rests on: no value is missing for it."}
      </p>
    </>
  );
}

function factsOf(run: Results): readonly (readonly [string, ReactNode])[] {
  const rows = Object.values(run.results);
  return [
    ["Run", runName(run.computed_for)],
    ["Computed", <Time key="at" at={run.computed_at} />],
    [
      "Window",
      run.window.from === null ? (
        "nobody was exposed"
      ) : (
        <span key="window">
          <Time at={run.window.from} /> to <Time at={run.window.to} />
        </span>
      ),
    ],
    ...(run.srm.status === "halted" ? [] : methodOf(rows)),
    ["Traffic split", splitInWords(run)],
    ["Prices", run.price_list ? `as of ${run.price_list.as_of} (${run.price_list.fingerprint})` : "not kept"],
    ["Experiment version", String(run.version)],
    ["Seed", run.seed === null ? "not kept" : String(run.seed)],
    ["Assay", run.code_version || "not kept"],
  ];
}

function splitInWords({ srm: { status, p_value: p, threshold } }: Results): string {
  const text = pValue(p);
  const words = status === "passed" ? "as expected" : "off: results withheld";
  return `${words}, p ${text.startsWith("<") ? text : `= ${text}`} (withheld below ${number(threshold)})`;
}

function methodOf(rows: readonly MetricResult[]): readonly (readonly [string, string])[] {
  const cap = Math.max(0, ...rows.map((row) => row.sample_cap_used));
  const permutations = Math.max(0, ...rows.map((row) => row.permutations_used));
  const adjusted = [...new Set(rows.filter(({ cuped }) => cuped !== null).map(({ metric }) => metric))];
  return [
    ["Correction", `over ${counted(rows.length, "comparison")} (Benjamini–Hochberg)`],
    ["Tests", [...new Set(rows.map(({ test }) => test))].join(", ") || "none"],
    ["Users analysed", cap === 0 ? "every one" : `at most ${count(cap)} per variant`],
    ["Permutations", permutations === 0 ? "none: closed forms" : count(permutations)],
    ["Adjusted for before (CUPED)", adjusted.length === 0 ? "no metric" : adjusted.join(", ")],
  ];
}
