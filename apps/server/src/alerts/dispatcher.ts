import {
  type AlertChannel,
  type AlertDelivery,
  type Clock,
  type ControlPlane,
  type DeliveryOutcome,
  FAILING_AFTER,
  nextAttemptAt,
} from "@assay/domain";
import type { Logger } from "pino";
import type { AlertSender } from "./alert-sender.ts";
import type { Attempt } from "./post-message.ts";

/** The longest time of an attempt with everything around it. After that, its process must have died. */
const LEASE_MS = 30_000;
/** Attempts at a time. Each channel has at most one, so no org delays another. */
const MAX_ATTEMPTS = 200;

interface DispatcherDeps {
  readonly control: Pick<ControlPlane, "alertChannels" | "alertDeliveries">;
  readonly alerts: Pick<AlertSender, "attempt">;
  readonly clock: Clock;
  readonly log: Logger;
  /** From 0 to 1. */
  readonly random?: () => number;
}

export interface AlertDispatcher {
  /** Starts the attempts that are due, without waiting for them to end. */
  run(): Promise<void>;
  /** Waits for the attempts that have begun. */
  settle(): Promise<void>;
}

/** Makes what delivers alerts; one process at a time runs it. */
export function createDispatcher({
  control: { alertChannels, alertDeliveries },
  alerts,
  clock,
  log,
  random = Math.random,
}: DispatcherDeps): AlertDispatcher {
  /** By channel. */
  const running = new Map<string, Promise<void>>();

  async function deliver(due: AlertDelivery): Promise<void> {
    const now = clock.now();
    const claimed = await alertDeliveries.claim(due, now, now + LEASE_MS);
    const channel = claimed && (await alertChannels.find(claimed.orgId, claimed.channelId));
    if (claimed === null || channel === null) return;
    const attempt = await alerts.attempt(channel, claimed);
    const outcome = outcomeOf(attempt, claimed);
    await alertDeliveries.finish(claimed, outcome);
    await mark(channel, claimed, outcome);
  }

  function outcomeOf(attempt: Attempt, { attempts }: AlertDelivery): DeliveryOutcome {
    const { isDelivered, code, answer } = attempt;
    const nextAt = isDelivered ? null : nextAttemptAt({ ...attempt, attempts }, clock.now(), random());
    const status = isDelivered ? "delivered" : nextAt === null ? "failed" : "waiting";
    return { status, nextAt, code, answer };
  }

  async function mark(
    channel: AlertChannel,
    { firstAt, attempts }: AlertDelivery,
    { status }: DeliveryOutcome,
  ): Promise<void> {
    if (status === "delivered") {
      if (channel.failingSince !== null) await alertChannels.markFailing(channel, null);
    } else if (status === "failed" || attempts >= FAILING_AFTER)
      await alertChannels.markFailing(channel, firstAt ?? clock.now());
  }

  return {
    async run() {
      const limit = MAX_ATTEMPTS - running.size;
      if (limit === 0) return;
      const busy = [...running.keys()];
      for (const due of await alertDeliveries.listDue({ now: clock.now(), busy, limit })) {
        const { channelId, orgId, id } = due;
        const attempt = deliver(due)
          .catch((error: unknown) =>
            log.warn(
              { err: error, orgId, channelId, delivery: id },
              "could not deliver an alert; it is retried",
            ),
          )
          .finally(() => running.delete(channelId));
        running.set(channelId, attempt);
      }
    },
    async settle() {
      await Promise.all(running.values());
    },
  };
}
