import type { PipelineRunReport } from "@assay/contract";
import { addDays, type Day, dayOf, parseDay } from "@assay/domain";
import type { Static } from "typebox";
import { type Api, serviceApi } from "../api.ts";
import { readOptions } from "../options.ts";

type Report = Static<typeof PipelineRunReport>;

/** Runs the nightly pipeline on the running service for one or more UTC days, and prints the outcomes. */
export async function nightly(args: readonly string[]): Promise<void> {
  const { options } = readOptions(args, ["day", "from"]);
  await runNights(await serviceApi(), options, console.log);
}

/** Requests one day at a time, so that each day is printed when it is done and no response takes longer than one night. */
export async function runNights(
  api: Pick<Api, "call">,
  { day, from }: { readonly day?: string; readonly from?: string },
  print: (line: string) => void,
): Promise<void> {
  for (const body of requestsFor(day, from)) {
    const report = await api.call<Report>("POST", "/v1/admin/pipeline-runs", body);
    if (report.runs.length === 0) print(`${report.day}: no experiment is running.`);
    for (const { day: ran, name, outcome, detail } of report.runs)
      print(`${ran}  ${name}: ${outcome}${detail ? ` (${detail})` : ""}`);
  }
}

/** Sends an invalid range unchanged, so that the service rejects it. */
function requestsFor(day: string | undefined, from: string | undefined): readonly object[] {
  const last = day === undefined ? addDays(dayOf(Date.now()), -1) : parseDay(day);
  const first = from === undefined ? null : parseDay(from);
  if (first === null || last === null || first > last) return [{ day, from_day: from }];
  const days: Day[] = [];
  for (let next = first; next <= last; next = addDays(next, 1)) days.push(next);
  return days.map((each) => ({ day: each }));
}
