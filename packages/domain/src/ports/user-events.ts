import type { StoredEvent } from "../event/event.ts";
import type { PageQuery } from "./page.ts";

/** Everything stored about a user of an org's applications, over all experiments. */
export interface UserEventQuery extends PageQuery {
  readonly orgId: string;
  readonly userId: string;
}

/** An event as it was sent. */
export interface UserEvent extends StoredEvent {
  /** False when retention has removed the raw event. Fields that analyses do not need are then null. */
  readonly isRaw: boolean;
}
