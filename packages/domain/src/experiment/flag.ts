import type { FieldFault } from "../problem.ts";
import type { ExperimentConfig } from "./config.ts";

type Flagged = Pick<ExperimentConfig, "assignment" | "flagKey" | "status" | "qaUsers">;

/** Lists what an experiment on another system's flag cannot have: that system alone gives variants to users. */
export function checkFlag({ assignment, flagKey, status, qaUsers }: Flagged): readonly FieldFault[] {
  if (flagKey === null) return [];
  const faults: FieldFault[] = [];
  if (assignment !== "external") {
    const detail = 'A flag key needs "assignment": "external": the flag assigns the variants.';
    faults.push({ pointer: "/flag_key", detail });
  }
  if (status === "shipped") {
    const detail = `The flag "${flagKey}" gives users their variants: ship the variant there, and stop this experiment with a decision.`;
    faults.push({ pointer: "/status", detail });
  }
  if (Object.keys(qaUsers).length > 0) {
    const detail = `The flag "${flagKey}" gives users their variants: list QA users there.`;
    faults.push({ pointer: "/qa_users", detail });
  }
  return faults;
}

/** Lists the fault of another flag key for an experiment that has started: its results would mix two flags. */
export function changedFlagFaults(
  { flagKey, status }: Pick<ExperimentConfig, "flagKey" | "status">,
  asked: string | null | undefined,
): readonly FieldFault[] {
  if (status === "draft" || asked === undefined || asked === flagKey) return [];
  const stored = flagKey === null ? "leave it out" : `leave it out or send "${flagKey}"`;
  return [
    { pointer: "/flag_key", detail: `The flag key is frozen once the experiment has started: ${stored}.` },
  ];
}
