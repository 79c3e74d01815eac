import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { startAlertReceiver } from "../../apps/server/src/test-support/alert-receiver.ts";
import { cleanUp, onCleanUp } from "./support/clean-up.ts";
import { type Access, createExperiment, makeEvent, openAccess, postEvents } from "./support/experiment.ts";
import { seededRandom } from "./support/seeded-random.ts";
import { expectOk, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

afterAll(cleanUp);

/** When the leader is killed: after a random part of this time since it leads, or at a step of the hold that is seen from outside. */
const LATEST_KILL_MS = 400;
const MOMENTS = ["while it looks", "while it looks", "once it is held", "while it tells somebody"] as const;
const SEED = 20_261_126;
const ENV = { ASSAY_ALERTS_PRIVATE_ADDRESSES: "allow" };
const USERS = 400;

interface Held {
  readonly holds: readonly { readonly to: string | null }[];
}
interface Entry {
  readonly diff: Readonly<Record<string, unknown>> | null;
  readonly actor: { readonly name: string };
}

/** Sends two calls of each user: one in fifty of control's fails, and every third of the treatment's. */
async function sendHarm(service: RunningService, access: Access, experimentId: string): Promise<void> {
  const events = ["control", "treatment"].flatMap((variant) =>
    Array.from({ length: USERS }, (_, i) => {
      const user = { user_id: `${variant}-${i}`, variant };
      const call = {
        ...user,
        type: "model_call",
        error: i % (variant === "control" ? 50 : 3) === 0,
      } as const;
      return [
        makeEvent(experimentId, { ...user, type: "exposure" }),
        makeEvent(experimentId, call),
        makeEvent(experimentId, call),
      ];
    }).flat(),
  );
  await postEvents(service, access, events);
  const isStored = async () => {
    const route = `/v1/experiments/${experimentId}/events?limit=1&user_id=treatment-${USERS - 1}`;
    const { items } = await expectOk(
      service.send<{ items: readonly object[] }>("GET", route, { headers: access.session }),
    );
    return items.length > 0;
  };
  await until("the events are stored", isStored);
}

test("a leader that is killed at any step of a hold leaves one version, one audit entry and one delivery id", async () => {
  const receiver = await startAlertReceiver();
  onCleanUp(() => receiver.close());
  const random = seededRandom(SEED);
  let service = await startService(temporaryFolder(), ENV);
  const access = await openAccess(service);
  const { session: headers } = access;
  const channel = { name: "ops", kind: "webhook", url: `${receiver.url}/ops`, types: ["experiment.held"] };
  await expectOk(service.send("POST", "/v1/alert-channels", { headers, body: channel }));
  const read = async <T>(path: string) => expectOk(service.send<T>("GET", path, { headers }));
  const restart = async () => {
    service.program.signal("SIGKILL");
    await service.program.exited;
    service = await startService(service.dataDir, ENV);
  };
  const experiments: string[] = [];
  for (const [round, moment] of MOMENTS.entries()) {
    const id = await createExperiment(service, access, `killed-${round}`);
    experiments.push(id);
    await sendHarm(service, access, id);
    const isHeld = async () => (await read<Held>(`/v1/experiments/${id}`)).holds.length > 0;
    const told = () => receiver.at("/ops").filter(({ text }) => text.includes(id)).length;
    if (moment === "while it tells somebody") receiver.answer("/ops", () => {});
    await expectOk(
      service.send("PUT", `/v1/experiments/${id}`, { headers, body: { guard: { error_rate: 0 } } }),
    );
    // A process that becomes the leader looks at once.
    await restart();
    if (moment === "while it looks") await sleep(random() * LATEST_KILL_MS);
    else if (moment === "once it is held") await until("it is held", isHeld);
    else await until("somebody is told", () => told() > 0);
    receiver.answer("/ops", (response) => response.writeHead(204).end());
    await restart();
    await until("it is held in the end", isHeld);
    await until("somebody is told in the end", () => told() > 0);
  }
  // The delivery whose process was killed is tried again after its lease.
  const last = experiments.at(-1)!;
  await until("the cut delivery is repeated", () => {
    return receiver.at("/ops").filter(({ text }) => text.includes(last)).length > 1;
  });
  for (const id of experiments) {
    const versions = await read<readonly Held[]>(`/v1/experiments/${id}/versions`);
    expect(versions.map(({ holds }) => holds.length)).toEqual([1, 0, 0]);
    const { items } = await read<{ items: readonly Entry[] }>(`/v1/audit?target_id=${id}`);
    const holding = items.filter(({ diff }) => diff !== null && "holds" in diff && !("name" in diff));
    expect(holding.map(({ actor }) => actor.name)).toEqual(["Assay"]);
    const messages = receiver.at("/ops").filter(({ text }) => text.includes(id));
    expect(new Set(messages.map((message) => message.headers["webhook-id"])).size).toBe(1);
  }
});
