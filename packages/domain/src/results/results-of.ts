import type { StoredRun } from "../ports/results.ts";
import type { ExperimentResults } from "./results.ts";

/** Reads a stored run from the JSON that `put` stored. A run of an older version may lack later fields. */
export function resultsOf({ body }: Pick<StoredRun, "body">): ExperimentResults {
  return body as unknown as ExperimentResults;
}
