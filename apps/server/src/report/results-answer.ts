import { completeRun } from "@assay/contract";
import { resultsOf, type StoredRun } from "@assay/domain";

/** Makes the answer of a run, with the runs that can be read beside it. */
export const resultsAnswer = (
  run: Pick<StoredRun, "body" | "revision" | "revisions">,
  availableDays: readonly string[],
) => ({
  ...completeRun(resultsOf(run)),
  revision: run.revision,
  revisions: Array.from({ length: run.revisions }, (_, index) => index + 1),
  availableDays,
});
