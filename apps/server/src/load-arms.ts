import { type Experiment, eventsOf, type StoredEvent } from "@assay/domain";
import type { Deps } from "./deps.ts";
import { loadExclusions } from "./exclusions/load-exclusions.ts";

type OfUnit = Pick<StoredEvent, "userId" | "unitId" | "variant" | "occurredAt">;

/**
 * Returns the arm of each event: the variant that it names, or else the variant of its unit's first exposure, unless
 * the event came before it. Null: it counts in no arm.
 */
export async function loadArms<T extends OfUnit & { readonly type?: StoredEvent["type"] }>(
  listed: readonly T[],
  experiment: Experiment,
  { control, events }: Pick<Deps, "control" | "events">,
): Promise<ReadonlyMap<T, string | null>> {
  const unitOf = ({ userId, unitId }: OfUnit) => (experiment.config.unit === "user" ? userId : unitId);
  const unknown = listed.filter(({ variant, type }) => variant === null && type !== "exposure");
  const units = new Set(unknown.map(unitOf).filter((unit) => unit !== null));
  const exposures =
    units.size === 0
      ? []
      : await events.loadFirstExposures({
          ...eventsOf(experiment, await loadExclusions(experiment, { control })),
          userIds: [...units],
          until: Math.max(...unknown.map(({ occurredAt }) => occurredAt)) + 1,
          periodStarts: [],
        });
  const first = new Map(
    exposures.filter(({ isContaminated }) => !isContaminated).map((one) => [one.userId, one]),
  );
  const armOf = (event: T) => {
    const exposure = event.type === "exposure" ? undefined : first.get(unitOf(event) ?? "");
    return exposure !== undefined && exposure.at <= event.occurredAt ? exposure.arm : null;
  };
  return new Map(listed.map((event) => [event, event.variant ?? armOf(event)]));
}
