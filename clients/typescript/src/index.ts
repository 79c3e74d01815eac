export { Client } from "./client.ts";
export type { Log } from "./client-log.ts";
export type { ClientOptions } from "./client-options.ts";
export type { EventPayload, EventType } from "./event-row.ts";
export type { Cancel, Schedule } from "./schedule.ts";
export type { Fetch } from "./transport.ts";
export type { PromptChoice } from "./variant-content.ts";
