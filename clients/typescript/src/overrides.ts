import type { FullClientOptions } from "./client-options.ts";
import { page } from "./platform/page-globals.ts";

/**
 * Reads the keys of the forced variants, by the experiment's name or id. The page's address, if allowed, takes precedence over the option.
 */
export function readOverrides({
  overrides,
  urlOverrides,
}: Pick<FullClientOptions, "overrides" | "urlOverrides">): ReadonlyMap<string, string> {
  const forced = new Map(Object.entries(overrides ?? {}));
  const asked = urlOverrides === true && new URLSearchParams(page.location?.search).get("assay");
  for (const pair of (asked || "").split(",")) {
    const [experiment, key] = pair.split(":");
    if (key) forced.set(experiment!, key);
  }
  return forced;
}
