import type { PipelineRunReport } from "@assay/contract";
import type { Static } from "typebox";
import { serviceApi } from "../api.ts";
import { readOptions } from "../options.ts";

/** Runs the nightly pipeline for a UTC day, or several, on the running service and prints what it did. */
export async function nightly(args: readonly string[]): Promise<void> {
  const { options } = readOptions(args, ["day", "from"]);
  const { day, from } = options;
  const api = await serviceApi();
  const body = { day, from_day: from };
  const report = await api.call<Static<typeof PipelineRunReport>>("POST", "/v1/admin/pipeline-runs", body);
  if (report.runs.length === 0) console.log(`${report.day}: no experiment is running.`);
  for (const { day: ran, name, outcome, detail } of report.runs) {
    console.log(`${ran}  ${name}: ${outcome}${detail ? ` (${detail})` : ""}`);
  }
}
