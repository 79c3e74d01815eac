import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { monthOf } from "@assay/domain";
import { clickhouseEventStore, startEmbeddedClickHouse } from "@assay/storage";
import { afterAll, expect, test } from "vitest";
import { eventStoreOn } from "../../packages/storage/src/events/clickhouse-event-store.ts";
import { clientOf, silentLog } from "../../packages/storage/src/events/embedded/temporary-clickhouse.ts";
import { type EngineClient, engineClient } from "../../packages/storage/src/events/engine/engine-client.ts";
import { findIdPlace } from "../../packages/storage/src/events/schema/id-tables.ts";
import { SCHEMA_STEPS } from "../../packages/storage/src/events/schema/schema.ts";
import { applyChanges } from "../../packages/storage/src/events/schema/statements.ts";
import { BOTH_MS } from "../../packages/storage/src/events/write/copy-ids.ts";
import { runsOnServers } from "../servers/fresh-engines.ts";
import { cleanUp } from "./support/clean-up.ts";
import { expectStoredOnce } from "./support/expect-stored-once.ts";
import { createExperiment, openAccess } from "./support/experiment.ts";
import { seededRandom } from "./support/seeded-random.ts";
import { Sender } from "./support/sender.ts";
import { expectOk, metric, startService } from "./support/service.ts";
import { readStoredEvents } from "./support/stored-events.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

afterAll(cleanUp);

/** The last step of the schema that had ids as text. */
const LAST_STEP = 6;
const OTHER_IDS = 4_000_000;
const FIRST = Date.UTC(2026, 0, 1);
const LAST = Date.UTC(2026, 4, 1);
const MONTHS = ["2026-01", "2026-02", "2026-03", "2026-04"].map((month) => monthOf(Date.parse(month)));
const KILLS = 2;

/** Opens the engine of a stopped service's folder. */
async function withEngine<T>(dataDir: string, use: (engine: EngineClient) => Promise<T>): Promise<T> {
  const clickhouse = await startEmbeddedClickHouse({ dataDir: join(dataDir, "events"), log: silentLog });
  const engine = engineClient(clientOf(clickhouse, { request_timeout: 300_000 }));
  try {
    return await use(engine);
  } finally {
    await engine.close();
    await clickhouse.close();
  }
}

/** Makes the store one of the version before: with the ids of all its events as text, and with many others. */
async function revert(engine: EngineClient): Promise<void> {
  for (const changes of SCHEMA_STEPS.slice(0, LAST_STEP)) await applyChanges(engine, changes);
  const columns = "org_id, event_id, received_at, is_public";
  await engine.command(
    `INSERT INTO event_ids (${columns}) SELECT org_id, event_id, received_at, source = 'publishable' FROM analysis FINAL`,
  );
  await engine.command(
    `INSERT INTO event_ids (${columns}) SELECT 'other', toString(generateUUIDv4()),
       fromUnixTimestamp64Milli(toInt64({from: Int64} + number * {step: Float64})), number % 3 = 0
     FROM numbers({ids: UInt64})`,
    { from: FIRST, step: (LAST - FIRST) / OTHER_IDS, ids: OTHER_IDS },
  );
  await engine.command("DROP TABLE stored_ids");
  await engine.command("TRUNCATE TABLE schema_version");
  await engine.insert("schema_version", ["version"], [`[${LAST_STEP}]\n`]);
}

/** Does what the leader does a day later. */
async function finish(engine: EngineClient): Promise<void> {
  expect(await findIdPlace(engine)).toBe("both");
  const store = eventStoreOn(engine, null);
  while (await store.continueUpgrade(Date.now() + BOTH_MS));
  expect(await findIdPlace(engine)).toBe("stored_ids");
}

test.skipIf(runsOnServers)(
  "a folder with ids as text starts at once; kills during the copy lose and repeat no id",
  async () => {
    const dataDir = temporaryFolder();
    const random = seededRandom(25);
    let service = await startService(dataDir);
    const access = await openAccess(service);
    const experimentId = await createExperiment(service, access, "upgraded");
    const sender = new Sender({ access, experimentId, random });
    const sendUntil = async (acknowledged: number) => {
      sender.start(service);
      await until("events are acknowledged", () => sender.acknowledged.size >= acknowledged);
    };
    await sendUntil(2_000);
    await sender.stop();
    await service.stop();
    await withEngine(dataDir, revert);
    for (let kill = 0; kill < KILLS; kill++) {
      service = await startService(dataDir);
      await sendUntil(sender.acknowledged.size + 1_000);
      await sleep(500 * random()); // The moment is the test's stimulus; nothing is awaited with it.
      service.program.signal("SIGKILL");
      await service.program.exited;
      await sender.stop();
      if (kill === 0)
        expect(await withEngine(dataDir, findIdPlace), "the first kill comes during the copy").toBe(
          "event_ids",
        );
    }
    service = await startService(dataDir);
    await sendUntil(sender.acknowledged.size + 1_000);
    const isUpgraded = () => /is upgraded as far as it can be/.test(service.program.stderr());
    await until("the ids are copied", isUpgraded, 300_000);
    await sendUntil(sender.acknowledged.size + 1_000);
    await sender.stop();
    await until("the queue drains", async () => (await metric(service, "assay_queue_batches")) === 0);
    const usage = service.send<{ events: { used: number } }>("GET", "/v1/usage", { headers: access.session });
    const metered = (await expectOk(usage)).events.used;
    await service.stop();
    await withEngine(dataDir, finish);
    const stored = await readStoredEvents(dataDir);
    const isOther = (id: string) => /^[0-9A-F]{32}$/.test(id);
    expect(stored.eventIds.filter(isOther)).toHaveLength(OTHER_IDS);
    const eventIds = stored.eventIds.filter((id) => !isOther(id));
    expectStoredOnce(sender, { ...stored, eventIds });
    expect(metered).toBe(eventIds.length);
    const clickhouse = await startEmbeddedClickHouse({ dataDir: join(dataDir, "events"), log: silentLog });
    const store = clickhouseEventStore(clickhouse);
    const perMonth = [31, 28, 31, 30].map((days) => (days * OTHER_IDS) / 120);
    for (const [i, month] of MONTHS.entries()) {
      const [count = 0] = await store.countReceived(["other"], month);
      expect(Math.abs(count - perMonth[i]!)).toBeLessThanOrEqual(1);
    }
    await store.close();
    await clickhouse.close();
  },
  600_000,
);
