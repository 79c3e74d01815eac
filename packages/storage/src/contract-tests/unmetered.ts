import { randomUUID } from "node:crypto";
import { DAY_MS, type EventStore, monthOf } from "@assay/domain";
import { expect, test } from "vitest";
import { storedEvent, T0, wholeExperiment } from "./stored-event.ts";

/** Tests events that count in no month's usage. */
export function describeUnmetered(storeOf: () => EventStore): void {
  test("stores unmetered events once, however often they arrive, and counts them in no month", async () => {
    const orgId = randomUUID();
    const events = Array.from({ length: 1_200 }, (_, i) =>
      storedEvent({ orgId, userId: `u${i}`, variant: "a", receivedAt: T0 + (i % 3) * DAY_MS }),
    );
    await storeOf().appendUnmetered(events.slice(0, 700));
    await Promise.all([storeOf().appendUnmetered(events), storeOf().appendUnmetered(events)]);
    expect(await storeOf().traffic(wholeExperiment(orgId))).toMatchObject([
      { exposures: 1_200, users: 1_200 },
    ]);
    expect(await storeOf().countReceived([orgId], monthOf(T0))).toEqual([0]);
  });

  test("accepts an empty list of unmetered events", async () => {
    await storeOf().appendUnmetered([]);
  });
}

/** Tests the removal of an experiment. */
export function describeRemoval(storeOf: () => EventStore): void {
  const usersOf = async (orgId: string, experimentId = "exp") => {
    const experiment = wholeExperiment(orgId, experimentId);
    const query = { ...experiment, until: T0 + DAY_MS, periodStarts: [], metrics: [], prices: [] };
    const { exposures } = await storeOf().loadArms({ ...query, sample: null });
    const traffic = await storeOf().traffic(experiment);
    expect(traffic.reduce((sum, { users }) => sum + users, 0)).toBe(exposures[0]?.users ?? 0);
    return exposures[0]?.users ?? 0;
  };

  test("removes only the events of one experiment, and keeps the month's count", async () => {
    const [orgId, other] = [randomUUID(), randomUUID()];
    const exposures = ["u1", "u2"].map((userId) => storedEvent({ orgId, userId, variant: "a" }));
    await storeOf().append([
      ...exposures,
      storedEvent({ orgId, experimentId: "exp-2", variant: "a" }),
      storedEvent({ orgId: other, variant: "a" }),
    ]);
    await storeOf().appendUnmetered([storedEvent({ orgId, userId: "u3", variant: "a" })]);
    expect(await usersOf(orgId)).toBe(3);
    await storeOf().removeExperiment(orgId, "exp");
    expect([await usersOf(orgId), await usersOf(orgId, "exp-2"), await usersOf(other)]).toEqual([0, 1, 1]);
    expect(await storeOf().countReceived([orgId], monthOf(T0))).toEqual([3]);
    await storeOf().append(exposures);
    expect(await usersOf(orgId)).toBe(0);
  });

  test("accepts the removal of an absent experiment, and the same unmetered events again afterwards", async () => {
    const orgId = randomUUID();
    const events = ["u1", "u2"].map((userId) => storedEvent({ orgId, userId, variant: "a" }));
    await storeOf().removeExperiment(orgId, "exp");
    for (let round = 0; round < 3; round++) {
      await storeOf().appendUnmetered(events);
      expect(await usersOf(orgId)).toBe(2);
      await storeOf().removeExperiment(orgId, "exp");
      await storeOf().removeExperiment(orgId, "exp");
      expect(await usersOf(orgId)).toBe(0);
    }
  });
}
