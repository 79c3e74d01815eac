import type { Operation } from "../operation.ts";
import * as experiments from "./experiments.ts";
import * as imports from "./import.ts";
import * as ingest from "./ingest.ts";
import * as org from "./org.ts";
import * as prices from "./prices.ts";
import * as usage from "./usage.ts";
import * as webhooks from "./webhooks.ts";

/** Every operation of the interface that this version serves. */
export const operations: readonly Operation[] = [
  ...Object.values(experiments),
  ...Object.values(ingest),
  ...Object.values(imports),
  ...Object.values(org),
  ...Object.values(prices),
  ...Object.values(usage),
  ...Object.values(webhooks),
] as readonly Operation[];

export { experiments, imports, ingest, org, prices, usage, webhooks };
