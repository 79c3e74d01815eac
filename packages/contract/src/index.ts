export * from "./openapi.ts";
export * from "./operation.ts";
export * from "./operations/index.ts";
export * from "./problem.ts";
export * from "./schemas.ts";
export * from "./wire-config.ts";
export * from "./wire-experiment.ts";
export * from "./wire-results.ts";
