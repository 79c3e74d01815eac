import type { Client } from "./client.ts";
import type { CallHost, FrameworkObserver } from "./model-call/call-record.ts";

/** Returns a client as the host of a call that `frameworks` observes. */
export function hostOf(client: Client, frameworks: FrameworkObserver): CallHost {
  return {
    options: client.options,
    findAssignment: (experiment, subject) => client.findAssignment(experiment, subject),
    track: (event, payload) => client.track(event, payload),
    warn: (message) => client.warn(message),
    frameworks,
  };
}
