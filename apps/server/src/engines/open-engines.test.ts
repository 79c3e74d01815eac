import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testEmbedded } from "../../../../tests/servers/embedded-only.ts";
import { DataFolderError, openDataFolder } from "../data-folder/data-folder.ts";
import { experimentBody, type WireExperiment } from "../test-support/experiments.ts";
import { openTestService } from "../test-support/test-service.ts";
import { requireFolder } from "./open-engines.ts";

const IN_MEMORY = /"part":"recent-ids".*The recent ids are in memory/g;

testEmbedded("a service with an event engine of its own has the recent ids in memory", async () => {
  const api = await openTestService({ eventsUrl: null });
  const key = await api.newKey("secret");
  const body = experimentBody("recent ids");
  const { id: experimentId } = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
  const timestamp = Date.now();
  const send = async (eventId: string) => {
    const event = {
      event_id: eventId,
      type: "exposure",
      experiment_id: experimentId,
      user_id: "u",
      timestamp,
    };
    expect(await api.call("POST", "/v1/events", { key, body: [event] })).toMatchObject({ status: 202 });
  };
  const stored = async () =>
    (await api.call<{ events: { used: number } }>("GET", "/v1/usage")).body.events.used;
  const loads = () => api.logged().match(IN_MEMORY)?.length;

  const eventIds = [randomUUID(), randomUUID(), randomUUID()] as const;
  await send(eventIds[0]);
  await expect.poll(loads).toBe(1);
  await api.restart();
  await send(eventIds[0]);
  await send(eventIds[1]);
  await expect.poll(loads).toBe(2);
  await send(eventIds[0]);
  await send(eventIds[1]);
  await send(eventIds[2]);
  await expect.poll(stored).toBe(3);
  await api.stop();
});

test("a folder with results of nights does not begin again without its events or its queue", async () => {
  const api = await openTestService();
  const dir = mkdtempSync(join(tmpdir(), "assay-no-events-"));
  const folder = openDataFolder(dir);
  const control = api.openControl();
  const body = experimentBody("without events");
  const { id: experimentId } = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
  const parts = ["events", "queue"] as const;
  for (const part of parts) await requireFolder(folder, control, part);
  const [org] = await control.orgs.list();
  const run = { experimentId, day: "2026-11-20", windowTo: 1, now: 1, leaseUntil: 2 };
  await control.pipelineRuns.claim({ orgId: org?.id ?? "", ...run });
  for (const part of parts) {
    const refused = requireFolder(folder, control, part);
    await expect(refused).rejects.toThrow(DataFolderError);
    await expect(refused).rejects.toThrow(
      new RegExp(
        `(events are|queue of accepted events is) missing: restore .* empty folder .*${part} to go on`,
      ),
    );
    mkdirSync(join(dir, part));
    await requireFolder(folder, control, part);
  }
  writeFileSync(join(dir, "queue/data.mdb"), "");
  await expect(requireFolder(folder, control, "queue")).rejects.toThrow(
    /queue of accepted events is missing/,
  );
  await control.close();
  await api.stop();
  rmSync(dir, { recursive: true });
});
