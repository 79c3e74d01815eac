export type { ControlSnapshot } from "./control-snapshot.ts";
export { takeControlSnapshot } from "./control-snapshot.ts";
export { type ControlTarget, openControlTarget } from "./control-target.ts";
export { openEventsMove } from "./copy-events.ts";
export { copyQueue } from "./copy-queue.ts";
export type { MovedPart } from "./moved-part.ts";
export { openQueueSnapshot } from "./queue-snapshot.ts";
