import type { TrackingEventDetails } from "@openfeature/core";
import type { AssayClient } from "./assay-client.ts";
import { loadedCatalog } from "./catalog.ts";

/** An OpenFeature tracking event of a known user. */
export interface Outcome {
  readonly name: string;
  readonly user: string;
  readonly details: TrackingEventDetails;
}

/**
 * Reports an outcome as a business_event of the experiment in `details.experiment` (name or id); without one,
 * of each experiment in which the user has a variant. The config decides that, not the evaluations of this
 * process, so that an outcome also counts on another page or in another process. The other details become
 * metadata.
 */
export function trackOutcome(client: AssayClient, { name, user, details }: Outcome): void {
  const { value = 1, experiment, ...metadata } = details;
  const fields = {
    user_id: user,
    business_metric: name,
    value,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
  if (experiment !== undefined) {
    client.track("business_event", { ...fields, experiment_id: String(experiment) });
    return;
  }
  for (const { id } of loadedCatalog(client)?.experiments ?? []) {
    const assignment = client.findAssignment(id, user);
    // A shipped experiment has closed its sample.
    if (assignment === null || assignment.variant.shipped) continue;
    client.track("business_event", { ...fields, experiment_id: id, variant: assignment.variant.key });
  }
}
