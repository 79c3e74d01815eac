import { DomainError, type FieldFault } from "../problem.ts";
import type { Experiment, ExperimentStatus } from "./config.ts";

/**
 * Lists why an experiment cannot go from one status to another; `from` is null for a new experiment. Only drafts and stopped
 * experiments can be archived, and only running and stopped ones shipped. Archived and shipped ones can only go back to `stopped`.
 */
export function checkStatusChange(
  from: ExperimentStatus | null,
  to: ExperimentStatus,
): readonly FieldFault[] {
  const fault = statusFault(from, to);
  return fault === null ? [] : [{ pointer: "/status", detail: fault }];
}

function statusFault(from: ExperimentStatus | null, to: ExperimentStatus): string | null {
  if (from === to) return null;
  if (from === "archived" && to !== "stopped")
    return 'An archived experiment can only go back to "stopped": unarchive it first.';
  if (from === "shipped" && to !== "stopped")
    return 'Everybody gets the variant of a shipped experiment: set the status to "stopped" first.';
  if (to === "shipped" && from !== "running" && from !== "stopped")
    return "Only running and stopped experiments can be shipped: start it first.";
  if (to !== "archived" || from === "draft" || from === "stopped") return null;
  return from === null
    ? 'A new experiment cannot be archived: create it as a "draft".'
    : 'Only drafts and stopped experiments can be archived: set the status to "stopped" first.';
}

/** Throws `experiment-not-deletable` unless the experiment is a draft or archived. */
export function rejectDeletion({ config: { status }, isDemo }: Pick<Experiment, "config" | "isDemo">): void {
  if (isDemo) throw notDeletable("Remove the demo experiment with DELETE /v1/demo.");
  if (status === "running")
    throw notDeletable("The experiment is running: stop it, archive it, then delete it.");
  if (status === "shipped")
    throw notDeletable("Everybody gets a variant of the experiment: stop it, archive it, then delete it.");
  if (status === "stopped") throw notDeletable("The experiment is stopped: archive it, then delete it.");
}

const notDeletable = (detail: string) => new DomainError("experiment-not-deletable", detail);
