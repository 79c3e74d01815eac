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

  /** What the page's address says, if it may, goes before the option. */
  constructor({ overrides = {}, urlOverrides }: OverrideOptions, warn: (message: string) => void) {
    this.#variants = new Map(Object.entries(overrides));
    this.#warn = warn;
    const asked = urlOverrides === true && new URLSearchParams(page.location?.search).get("assay");
    for (const pair of (asked || "").split(",")) {
      const at = pair.lastIndexOf(":");
      if (at > 0) this.#variants.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }

  /** Returns the variant that is forced in an experiment; null when none is, or the experiment has no such variant. */
  variantOf({ id, name, status, variants }: ConfigExperiment): ConfigVariant | null {
    const key = this.#variants.get(id) ?? this.#variants.get(name);
    // Of an experiment that is not running, nothing else is read.
    if (key === undefined || status !== "running") return null;
    const variant = variants.find((other) => other.key === key);
    if (!variant) this.#warn(`override ignored: ${name} has no variant ${key}`);
    return variant ?? null;
  }

  /** Returns the event's payload, marked as a test when an override is in force for its experiment. */
  marked(payload: EventPayload, configOf: () => ConfigSnapshot | null): EventPayload {
    // To ask for the config may load it, which an event alone is no reason for.
    if (this.#variants.size === 0) return payload;
    const { experiment_id, metadata } = fieldsOf(payload);
    if (!this.#isForced(textOr(experiment_id, ""), configOf())) return payload;
    return { ...payload, metadata: { ...fieldsOf(metadata), assay_test: true } };
  }

  #isForced(name: string, config: ConfigSnapshot | null): boolean {
    if (config === null) return this.#variants.has(name);
    const found = config.experiments.get(name);
    return found !== undefined && this.variantOf(found) !== null;
  }
}
