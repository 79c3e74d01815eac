import type { Operation } from "../operation.ts";
import * as experiments from "./experiments.ts";
import * as ingest from "./ingest.ts";
import * as org from "./org.ts";

/** Every operation of the interface that this version serves. */
export const operations: readonly Operation[] = [
  ...Object.values(experiments),
  ...Object.values(ingest),
  ...Object.values(org),
] as readonly Operation[];

export { experiments, ingest, org };
