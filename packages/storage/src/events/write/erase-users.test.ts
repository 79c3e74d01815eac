import { randomBytes, randomUUID } from "node:crypto";
import { DAY_MS } from "@assay/domain";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { filesHolding } from "../../contract-tests/files-holding.ts";
import { storedEvent, T0 } from "../../contract-tests/stored-event.ts";
import { clickhouseEventStore } from "../clickhouse-event-store.ts";
import { temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";

let engine: Awaited<ReturnType<typeof temporaryClickHouse>>;
let store: ReturnType<typeof clickhouseEventStore>;
beforeAll(async () => {
  engine = await temporaryClickHouse();
  store = clickhouseEventStore({ ...engine.clickhouse, limits: { eventsForCells: 0 } });
  await store.migrate();
  for (const table of ["raw_events", "analysis"])
    await engine.client.command({ query: `ALTER TABLE ${table} MODIFY SETTING old_parts_lifetime = 1` });
});
afterAll(async () => {
  await store.close();
  await engine.dispose();
});

/** So short that the codec cannot compress it, so it is in the file unchanged. */
const shortText = () => randomBytes(9).toString("base64");

test("removes a user's texts from the disk, including those of a removed experiment", async () => {
  const orgId = randomUUID();
  const call = (userId: string, experimentId: string, day: number) => {
    const received = T0 - day * DAY_MS;
    return storedEvent({
      ...{ orgId, userId, experimentId, receivedAt: received, type: "model_call", prompt: shortText() },
    });
  };
  const gone = [call("ann", "kept", 1), call("ann", "removed", 2)];
  const stays = [call("bob", "kept", 1), call("bob", "kept", 3)];
  await store.append([...gone, ...stays]);
  await store.removeExperiment(orgId, "removed");
  const request = { orgId, userId: "ann", requestedAt: T0 };
  await vi.waitFor(async () => expect(await store.eraseUsers([request])).toBe(0), 80_000);
  const holding = async (prompt: string | null) => (await filesHolding(engine.dataDir, prompt ?? "")).length;
  const areGone = async () => {
    // An idle engine rarely looks for replaced files: this makes it look.
    await engine.client.command({ query: "ALTER TABLE raw_events DROP PARTITION ID '20010101'" });
    for (const { prompt } of gone) expect(await holding(prompt)).toBe(0);
  };
  await vi.waitFor(areGone, { timeout: 80_000, interval: 200 });
  for (const { prompt } of stays) expect(await holding(prompt)).toBeGreaterThan(0);
});
