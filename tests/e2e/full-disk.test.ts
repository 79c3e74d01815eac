import { afterEach, describe, expect, test } from "vitest";
import { runsOnServers } from "../servers/fresh-engines.ts";
import { cleanUp } from "./support/clean-up.ts";
import { expectOneLine } from "./support/expect-one-line.ts";
import { expectStoredOnce } from "./support/expect-stored-once.ts";
import {
  type Access,
  createExperiment,
  type Event,
  type EventAck,
  makeEvent,
  openAccess,
} from "./support/experiment.ts";
import { runCli } from "./support/program.ts";
import { metric, type Problem, type RunningService, startService } from "./support/service.ts";
import { mayMount, mountSmallDisk } from "./support/small-disk.ts";
import { readStoredEvents } from "./support/stored-events.ts";
import { until } from "./support/until.ts";

const canMount = mayMount();
const KIB = 1024;
const MIB = 1024 * KIB;

afterEach(cleanUp);

describe.runIf(canMount && !runsOnServers)("a full disk", () => {
  test.each([0, 8 * KIB, 64 * KIB, 256 * KIB])(
    "at the start: one line with %i bytes left",
    async (freeBytes) => {
      const disk = mountSmallDisk("4m");
      disk.fill(freeBytes);
      const ended = await runCli(["serve"], { ASSAY_PORT: "0", ASSAY_DATA_DIR: disk.path });
      expectOneLine(ended, /full|space/i);
    },
    60_000,
  );

  test("during ingest: refuses with 503, loses nothing that was acknowledged, recovers when space is freed", async () => {
    const disk = mountSmallDisk("64m");
    const service = await startService(disk.path);
    const access = await openAccess(service);
    const load = new Load(service, access, await createExperiment(service, access, "full-disk"));
    await load.post();
    disk.fill(MIB);
    const refusal = await until("a batch is refused", async () => {
      const answer = await load.post();
      return answer.status === 202 ? null : answer;
    });
    expect(refusal.status).toBe(503);
    expect(refusal.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(refusal.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(refusal.body).toMatchObject({
      type: "https://assay.dev/problems/storage-unavailable",
      status: 503,
      detail: expect.stringMatching(/disk/),
    });
    expect((await service.send("GET", "/healthz")).status).toBe(200);
    disk.free();
    await until("batches are accepted again", async () => (await load.post()).status === 202);
    await until("the queue drains", async () => (await metric(service, "assay_queue_batches")) === 0);
    await service.stop();
    expectStoredOnce(load, await readStoredEvents(disk.path));
  });
});

const PADDING = "x".repeat(2_000);

/** Sends batches of about 200 KB one by one and remembers what became of them. */
class Load {
  readonly sent = new Map<string, Event>();
  readonly acknowledged = new Set<string>();
  readonly #service: RunningService;
  readonly #access: Access;
  readonly #experimentId: string;

  constructor(service: RunningService, access: Access, experimentId: string) {
    this.#service = service;
    this.#access = access;
    this.#experimentId = experimentId;
  }

  async post() {
    const events = Array.from({ length: 100 }, (_, index) => ({
      ...makeEvent(this.#experimentId, { type: "exposure", user_id: `user-${index}`, variant: "control" }),
      metadata: { padding: PADDING },
    }));
    for (const event of events) this.sent.set(event.event_id, event);
    const request = { headers: this.#access.key, body: { events } };
    const answer = await this.#service.send<EventAck & Problem>("POST", "/v1/events", request);
    if (answer.status === 202) for (const { event_id } of events) this.acknowledged.add(event_id);
    return answer;
  }
}
