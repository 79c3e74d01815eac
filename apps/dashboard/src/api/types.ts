import type { components } from "./schema.d.ts";

/** A body of the API by its name in the OpenAPI document. */
export type Wire<Name extends keyof components["schemas"]> = components["schemas"][Name];

export type Experiment = Wire<"Experiment">;
export type ExperimentConfig = Wire<"ExperimentConfig">;
export type ExperimentOverview = Wire<"ExperimentOverview">;
export type ExperimentState = ExperimentOverview["state"];
export type MetricDefinition = Experiment["metrics"][number];
export type MetricResult = Wire<"MetricResult">;
export type Tradeoff = Wire<"Tradeoff">;
export type Results = Wire<"Results">;
export type Distribution = Wire<"Distribution">;
export type WhoAmI = Wire<"WhoAmI">;
export type StoredEventSummary = Wire<"StoredEventSummary">;
