import { expect, test, vi } from "vitest";
import { storedEvent } from "../../contract-tests/stored-event.ts";
import { clickhouseEventStore } from "../clickhouse-event-store.ts";
import { clientOf, temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";
import { type EngineClient, engineClient } from "../engine/engine-client.ts";
import { appender } from "./append.ts";

const SOON = { timeout: 60_000, interval: 5 };

/** An engine whose inserts of ids wait until they are let through, or fail. */
async function engineWithSlowIds() {
  const temporary = await temporaryClickHouse();
  const store = clickhouseEventStore(temporary.clickhouse);
  await store.migrate();
  const real = engineClient(clientOf(temporary.clickhouse));
  const waiting: { letThrough: () => void; fail: () => void }[] = [];
  const engine: EngineClient = {
    ...real,
    async insert(table, ...rest) {
      if (table === "stored_ids")
        await new Promise<void>((resolve, reject) =>
          waiting.push({ letThrough: resolve, fail: () => reject(new Error("cut off")) }),
        );
      await real.insert(table, ...rest);
    },
  };
  const rows = () => real.rows<[string]>("SELECT event_id FROM raw_events ORDER BY event_id", {});
  const dispose = async () => {
    await real.close();
    await store.close();
    await temporary.dispose();
  };
  return { append: appender(async () => ({ engine, place: "stored_ids" })), waiting, rows, dispose };
}

test("an append stores its rows while the ids of the last are inserted, and knows them already", async () => {
  const { append, waiting, rows, dispose } = await engineWithSlowIds();
  const [one, other, third] = ["1", "2", "3"].map((eventId) => storedEvent({ eventId }));
  const first = append([one!, other!]);
  await vi.waitFor(() => expect(waiting).toHaveLength(1), SOON);
  const second = append([{ ...other!, userId: "another" }, third!]);
  await vi.waitFor(() => expect(waiting).toHaveLength(2), SOON);
  expect(await rows()).toEqual([["1"], ["2"], ["3"]]);
  for (const { letThrough } of waiting) letThrough();
  expect([await first, await second]).toEqual([[one, other], [third]]);
  expect(await append([one!, other!, third!])).toEqual([]);
  await dispose();
});

test("ids that could not be inserted are not known, so the append can be repeated", async () => {
  const { append, waiting, dispose } = await engineWithSlowIds();
  const event = storedEvent({ eventId: "1" });
  const failing = append([event]);
  await vi.waitFor(() => expect(waiting).toHaveLength(1), SOON);
  waiting[0]!.fail();
  await expect(failing).rejects.toThrow("cut off");
  const again = append([event]);
  await vi.waitFor(() => expect(waiting).toHaveLength(2), SOON);
  waiting[1]!.letThrough();
  expect(await again).toEqual([event]);
  expect(await append([event])).toEqual([]);
  await dispose();
});
