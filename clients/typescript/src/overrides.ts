import type { FullClientOptions } from "./client-options.ts";
import type { ConfigExperiment, ConfigSnapshot, ConfigVariant } from "./config-snapshot.ts";
import type { EventPayload } from "./event-row.ts";
import { fieldsOf } from "./fields.ts";
import { page } from "./platform/page-globals.ts";

type OverrideOptions = Pick<FullClientOptions, "overrides" | "urlOverrides">;

/** The variants that a client forces, by the experiment's name or id. */
export interface Overrides {
  /** Returns the variant forced in an experiment; null when none is, or the experiment has no such variant. */
  variantOf(experiment: ConfigExperiment): ConfigVariant | null;
  /** Returns the event's payload, marked as a test when an override applies to its experiment. */
  marked(payload: EventPayload, configOf: () => ConfigSnapshot | null): EventPayload;
}

/** Reads the overrides. The page's address, if allowed, takes precedence over the option. */
export function readOverrides(
  { overrides = {}, urlOverrides }: OverrideOptions,
  warn: (message: string) => void,
): Overrides {
  const forced = new Map(Object.entries(overrides));
  const asked = urlOverrides === true && new URLSearchParams(page.location?.search).get("assay");
  for (const pair of (asked || "").split(",")) {
    const [, experiment, key] = /^(.+):(.*)/.exec(pair) ?? [];
    if (experiment) forced.set(experiment, key!);
  }
  const variantOf = ({ id, name, status, variants }: ConfigExperiment): ConfigVariant | null => {
    const key = forced.get(id) ?? forced.get(name);
    // For an experiment that is not running, nothing else is read.
    if (key === undefined || status !== "running") return null;
    const variant = variants.find((other) => other.key === key);
    if (!variant) warn(`override ignored: ${name} has no variant ${key}`);
    return variant ?? null;
  };
  return {
    variantOf,
    marked(payload, configOf) {
      // Reading the config may load it, and an event alone is no reason to do that.
      if (!forced.size) return payload;
      const { experiment_id: named, metadata } = fieldsOf(payload) as unknown as EventPayload;
      const config = configOf();
      const found = config?.experiments.get(named);
      const isForced = found ? variantOf(found) : config === null && forced.has(named);
      return isForced ? { ...payload, metadata: { ...fieldsOf(metadata), assay_test: true } } : payload;
    },
  };
}
