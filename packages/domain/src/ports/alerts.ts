import type { Alert, AlertMessage, AlertType } from "../alerts/alert.ts";
import type { AlertChannel } from "../alerts/channel.ts";
import type { OpenFact } from "../alerts/night-alerts.ts";
import type { Page, PageQuery } from "./page.ts";

export interface AlertChannelStore {
  create(channel: AlertChannel): Promise<void>;
  /** By name, then id. */
  list(orgId: string): Promise<readonly AlertChannel[]>;
  find(orgId: string, id: string): Promise<AlertChannel | null>;
  /** Replaces everything but kind and creation; does nothing if the channel was removed. */
  put(channel: AlertChannel): Promise<void>;
  /** Removes the channel with its deliveries; false if there is none. */
  remove(orgId: string, id: string): Promise<boolean>;
  /** Marks the channel as failing since an instant unless it is marked already; null clears the mark. */
  markFailing(channel: Pick<AlertChannel, "orgId" | "id">, since: number | null): Promise<void>;
  /** The existing orgs with a channel that is on and takes the type. */
  listTakers(type: AlertType): Promise<readonly string[]>;
}

/** Facts, and the deliveries of the messages about them. */
export interface AlertStore {
  /**
   * Records the fact and a delivery to each of the org's channels that are on and take its type, if there is one. Returns false and
   * changes nothing when there is no such channel, or when a fact of this type and key holds.
   */
  raise(alert: Alert): Promise<boolean>;
  /** Ends a fact, if it holds. If it is found again later, it is a new fact. */
  end(fact: OpenFact & { readonly orgId: string; readonly at: number }): Promise<void>;
  /** Ends all facts of a type, in all orgs. */
  endAll(type: AlertType, at: number): Promise<void>;
  /** The facts about an experiment that hold. */
  listOpen(orgId: string, experimentId: string): Promise<readonly OpenFact[]>;
  /** Removes deliveries and ended facts from before an instant. */
  expire(before: number): Promise<void>;
  /** Removes the channels, facts and deliveries of deleted orgs. Returns the number of channels. */
  removeOfDeletedOrgs(): Promise<number>;
}

export const DELIVERY_STATUSES = ["waiting", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** A message on its way to a channel. Its id stays the same in all attempts. Instants in epoch milliseconds. */
export interface AlertDelivery {
  readonly id: string;
  readonly orgId: string;
  readonly channelId: string;
  readonly message: AlertMessage;
  readonly createdAt: number;
  readonly status: DeliveryStatus;
  /** Attempts that began since it was raised or last replayed. */
  readonly attempts: number;
  /** When the first of these attempts began, and the last; null before it. */
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  /** Time of the next attempt; null unless one is due. During an attempt: when it is repeated if the attempt never ends. */
  readonly nextAt: number | null;
  /** The HTTP or SMTP status of the last attempt, or null. */
  readonly code: number | null;
  /** The beginning of the answer, or what went wrong; null before the first attempt ended. */
  readonly answer: string | null;
}

export type DeliveryKey = Pick<AlertDelivery, "orgId" | "channelId" | "id">;

/** How an attempt ended. */
export type DeliveryOutcome = Pick<AlertDelivery, "status" | "nextAt" | "code" | "answer">;

export interface AlertDeliveryStore {
  put(delivery: AlertDelivery): Promise<void>;
  /** Newest first. */
  list(orgId: string, channelId: string, page: PageQuery): Promise<Page<AlertDelivery>>;
  find(key: DeliveryKey): Promise<AlertDelivery | null>;
  /** Makes a finished delivery due again, with all its attempts; null if there is no such delivery. */
  replay(key: DeliveryKey, now: number): Promise<AlertDelivery | null>;
  /**
   * The due deliveries of existing orgs, the longest due first: at most one per channel. Channels that are off or in `busy` are
   * skipped.
   */
  listDue(query: {
    readonly now: number;
    readonly busy: readonly string[];
    readonly limit: number;
  }): Promise<readonly AlertDelivery[]>;
  /** Begins an attempt, which is repeated at `until` if it never ends; null if another process began it. */
  claim(delivery: AlertDelivery, now: number, until: number): Promise<AlertDelivery | null>;
  /** Ends the attempt that `claim` began; does nothing when another process has begun one since. */
  finish(claimed: AlertDelivery, outcome: DeliveryOutcome): Promise<void>;
  /** Ends the waiting deliveries of a channel that was switched off. */
  drop(channel: Pick<AlertChannel, "orgId" | "id">, answer: string): Promise<void>;
}
