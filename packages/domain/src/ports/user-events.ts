import type { StoredEvent } from "../event/event.ts";
import type { PageQuery } from "./page.ts";

/** All that is stored of a user of an org's applications, whatever the experiment. */
export interface UserEventQuery extends PageQuery {
  readonly orgId: string;
  readonly userId: string;
}

/** An event as it was sent. */
export interface UserEvent extends StoredEvent {
  /** False: retention has removed the raw event, and with it the fields that analyses do not need; they are null. */
  readonly isRaw: boolean;
}
