/** The client without model call observation, for pages where every kilobyte counts. */

export type { Log } from "./client-log.ts";
export type { ClientOptions } from "./client-options.ts";
export type { ConfigVariant } from "./config-snapshot.ts";
export { type Assignment, CoreClient as Client } from "./core-client.ts";
export type { EventPayload, EventType } from "./event-row.ts";
export * from "./known-names.ts";
export type { Cancel, Schedule } from "./schedule.ts";
export type { FlushReport } from "./sender.ts";
export type { Subject } from "./subject.ts";
export type { Fetch } from "./transport.ts";
export type { PromptChoice, VariablesChoice } from "./variant-content.ts";
