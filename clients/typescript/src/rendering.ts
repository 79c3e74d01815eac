/** Computes, without a client, what a page rendered with a config shows. For packages that render on servers. */

export type { ConfigVariant } from "./config-snapshot.ts";
export type { Assignment } from "./core-client.ts";
export { findAssignmentIn } from "./find-assignment-in.ts";
export type { Subject } from "./subject.ts";
export { type PromptChoice, promptOf, type VariablesChoice, variablesOf } from "./variant-content.ts";
