import type { FieldFault } from "../problem.ts";
import type { ExperimentConfig } from "./config.ts";

type Flagged = Pick<ExperimentConfig, "assignment" | "flagKey" | "status" | "qaUsers" | "guard" | "rollout">;

/** Lists the settings that an experiment on another system's flag cannot have, because only that system assigns variants. */
export function checkFlag({
  assignment,
  flagKey,
  status,
  qaUsers,
  guard,
  rollout,
}: Flagged): readonly FieldFault[] {
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
  if (guard !== null) {
    const detail = `The flag "${flagKey}" gives users their variants, so a hold here would change nothing: guard the flag in its own system.`;
    faults.push({ pointer: "/guard", detail });
  }
  if (rollout !== null) {
    const detail = `The flag "${flagKey}" gives users their variants: roll out there.`;
    faults.push({ pointer: "/rollout", detail });
  }
  return faults;
}

/**
 * Lists why a change would mix a flag's users with others. The flag key cannot change once the experiment has started or has assigned
 * variants itself. A started experiment on a flag cannot become a draft again, because a draft's flag key can change.
 */
export function flagChangeFaults(
  current: Flagged,
  next: Flagged,
  { mayHaveUsers }: { readonly mayHaveUsers: boolean },
): readonly FieldFault[] {
  const { flagKey, status } = current;
  const isStarted = status !== "draft";
  if (next.flagKey !== flagKey && (isStarted || mayHaveUsers)) {
    const stored = flagKey === null ? "leave it out" : `leave it out or send "${flagKey}"`;
    const detail = `The flag key is frozen once the experiment has started: ${stored}.`;
    return [{ pointer: "/flag_key", detail }];
  }
  if (flagKey === null || !isStarted || next.status !== "draft") return [];
  const detail = `An experiment on a flag ("${flagKey}") cannot become a draft again: set the status to "stopped".`;
  return [{ pointer: "/status", detail }];
}
