import type { ControlStores, Experiment } from "@assay/domain";
import { v5 as uuidOfName } from "uuid";

/** Tells the id of an org's demo, always the same one: so whatever a load left that was cut off is found again. */
export function demoIdOf(orgId: string): string {
  return uuidOfName("demo", orgId);
}

/** Finds the org's demo; null when it is not loaded. */
export async function findDemo(
  orgId: string,
  { experiments }: Pick<ControlStores, "experiments">,
): Promise<Experiment | null> {
  const id = demoIdOf(orgId);
  const found = await experiments.find(orgId, id);
  // An experiment may be named like another's id.
  return found?.id === id ? found : null;
}
