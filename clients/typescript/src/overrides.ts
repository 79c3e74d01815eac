import type { FullClientOptions } from "./client-options.ts";
import type { ConfigExperiment, ConfigSnapshot, ConfigVariant } from "./config-snapshot.ts";
import type { EventPayload } from "./event-row.ts";
import { fieldsOf, textOr } from "./fields.ts";
import { page } from "./platform/page-globals.ts";

type OverrideOptions = Pick<FullClientOptions, "overrides" | "urlOverrides">;

/** The variants that a client forces, by the experiment's name or id. */
export class Overrides {
  readonly #variants: Map<string, string>;
  readonly #warn: (message: string) => void;

  /** The page's address, if allowed, takes precedence over the option. */
  constructor({ overrides = {}, urlOverrides }: OverrideOptions, warn: (message: string) => void) {
    this.#variants = new Map(Object.entries(overrides));
    this.#warn = warn;
    const asked = urlOverrides === true && new URLSearchParams(page.location?.search).get("assay");
    for (const pair of (asked || "").split(",")) {
      const [, experiment, key = ""] = /^(.+):(.*)/.exec(pair) ?? [];
      if (experiment) this.#variants.set(experiment, key);
    }
  }

  /** Returns the variant forced in an experiment; null when none is, or the experiment has no such variant. */
  variantOf({ id, name, status, variants }: ConfigExperiment): ConfigVariant | null {
    const key = this.#variants.get(id) ?? this.#variants.get(name);
    // For an experiment that is not running, nothing else is read.
    if (key === undefined || status !== "running") return null;
    const variant = variants.find((other) => other.key === key);
    if (!variant) this.#warn(`override ignored: ${name} has no variant ${key}`);
    return variant ?? null;
  }

  /** Returns the event's payload, marked as a test when an override applies to its experiment. */
  marked(payload: EventPayload, configOf: () => ConfigSnapshot | null): EventPayload {
    // Reading the config may load it, and an event alone is no reason to do that.
    if (!this.#variants.size) return payload;
    const { experiment_id, metadata } = fieldsOf(payload);
    const named = textOr(experiment_id, "");
    const config = configOf();
    const found = config?.experiments.get(named);
    const isForced = found ? this.variantOf(found) : config === null && this.#variants.has(named);
    return isForced ? { ...payload, metadata: { ...fieldsOf(metadata), assay_test: true } } : payload;
  }
}
