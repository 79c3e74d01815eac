import type { ExperimentConfigBody } from "@assay/contract";
import type { Static } from "typebox";
import config from "./demo-experiment.json" with { type: "json" };

/** The demo experiment as `POST /v1/experiments` takes it. */
export const DEMO_EXPERIMENT = config as Static<typeof ExperimentConfigBody> & {
  readonly description: string;
};
