import type { EvaluationContext, TrackingEventDetails } from "@openfeature/core";
import type { AssayClient } from "./assay-client.ts";
import { loadedCatalog } from "./catalog.ts";
import { subjectOf } from "./resolve.ts";

/** An OpenFeature tracking event. */
export interface Outcome {
  readonly name: string;
  readonly context: EvaluationContext;
  readonly details: TrackingEventDetails;
}

/**
 * Reports an outcome as a business_event of the experiment in `details.experiment` (name or id). Without one, reports
 * it for each experiment in which the user has a variant. The config decides that, not the evaluations of this process,
 * so an outcome also counts on another page or in another process. The other details become metadata. Throws when the
 * context has no user.
 */
export function trackOutcome(client: AssayClient, { name, context, details }: Outcome): void {
  const { value = 1, experiment, ...metadata } = details;
  const catalog = loadedCatalog(client);
  const fields = {
    user_id: subjectOf(context, {}).user,
    business_metric: name,
    value,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
  if (experiment !== undefined) {
    const named = String(experiment);
    const unit_id = subjectOf(context, catalog?.byKey.get(named) ?? {}).unit;
    client.track("business_event", { ...fields, experiment_id: named, ...(unit_id && { unit_id }) });
    return;
  }
  for (const entry of catalog?.experiments ?? []) {
    const assignment = client.findAssignment(entry.id, subjectOf(context, entry));
    // The sample of a shipped experiment is closed.
    if (assignment === null || assignment.variant.shipped) continue;
    const { variant, unit: unit_id } = assignment;
    client.track("business_event", {
      ...fields,
      experiment_id: entry.id,
      ...(unit_id && { unit_id }),
      variant: variant.key,
    });
  }
}
