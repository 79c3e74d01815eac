import type { ClientLog } from "./client-log.ts";
import type { Fields } from "./fields.ts";

/** Options without a default. */
const FREE = ["baseUrl", "experiments", "bootstrap", "offlineStore", "waitUntil", "mask", "log"];

/** Logs the given options that do not exist or are not used. */
export function reportOptions(given: object, standards: object, settings: object, log: ClientLog): void {
  for (const [name, value] of Object.entries(given)) {
    if (value == null) continue;
    if (!(name in standards || FREE.includes(name))) log.sayOnce("warn", `unknown option: ${name}`);
    else if ((settings as Fields)[name] !== value) log.sayOnce("warn", `invalid option ignored: ${name}`);
  }
}
