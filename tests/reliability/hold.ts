import { setTimeout as sleep } from "node:timers/promises";
import { expectOk, send } from "../e2e/support/service.ts";
import { until } from "../e2e/support/until.ts";
import { experimentBody, type Stage } from "./stage.ts";

const USERS_PER_ARM = 400;
const BATCH = 600;
const HELD_MS = 120_000;
/** How often a worker is killed that has just become the leader, and after how much of its lead at most: it looks at once. */
const KILLS = 3;
const LATEST_KILL_MS = 400;

interface Held {
  readonly holds: readonly { readonly to: string | null; readonly guardrail: string | null }[];
}
interface Entry {
  readonly diff: Readonly<Record<string, unknown>> | null;
}

/** Creates a guarded experiment whose treatment's calls fail far more often than control's. */
export async function prepareHarm({ deployment, credentials, others }: Stage): Promise<string> {
  const { url } = deployment.apis[0]!;
  const { session: headers, key } = credentials;
  const body = { ...experimentBody(`harmful ${Date.now()}`, 100), guard: { error_rate: 0 } };
  const { id } = await expectOk(send<{ id: string }>(`${url}/v1/experiments`, "POST", { headers, body }));
  for (const variant of ["control", "treatment"]) {
    const events = Array.from({ length: USERS_PER_ARM }, (_, i) => {
      const about = {
        ...{ experiment_id: id, user_id: `${variant}-${i}`, variant },
        timestamp: new Date().toISOString(),
      };
      const call = { ...about, type: "model_call", error: i % (variant === "control" ? 50 : 3) === 0 };
      return [
        { ...about, event_id: `harm-${id}-${variant}-${i}-seen`, type: "exposure" },
        ...[1, 2].map((n) => ({ ...call, event_id: `harm-${id}-${variant}-${i}-${n}` })),
      ];
    }).flat();
    for (let at = 0; at < events.length; at += BATCH) {
      const batch = { events: events.slice(at, at + BATCH) };
      await expectOk(send(`${url}/v1/events`, "POST", { headers: key, body: batch }));
    }
    others.events += events.length;
  }
  return id;
}

interface Killing {
  readonly random: () => number;
  /** Kills the worker that leads and starts it again; resolves when another leads. */
  readonly killLeader: () => Promise<void>;
}

/** Kills leaders while they look, until the experiment is held; throws unless the hold is there once, for every process. */
export async function killWhileItHolds(
  id: string,
  { deployment, credentials }: Stage,
  { random, killLeader }: Killing,
): Promise<void> {
  const read = <T>(url: string, path: string) =>
    expectOk(send<T>(`${url}/v1/${path}`, "GET", { headers: credentials.session }));
  const holdsOf = async (url: string) => (await read<Held>(url, `experiments/${id}`)).holds;
  for (let kill = 0; kill < KILLS; kill++) {
    await killLeader();
    await sleep(random() * LATEST_KILL_MS);
  }
  await until("it is held", async () => (await holdsOf(deployment.apis[0]!.url)).length > 0, HELD_MS);
  for (const { url } of deployment.apis) {
    const holds = await holdsOf(url);
    const versions = await read<readonly object[]>(url, `experiments/${id}/versions`);
    const { items } = await read<{ items: readonly Entry[] }>(url, `audit?target_id=${id}`);
    const holding = items.filter(({ diff }) => diff !== null && "holds" in diff && !("name" in diff));
    const isOnce = holds.length === 1 && holds[0]!.to === null && holds[0]!.guardrail === "error_rate";
    if (!isOnce || versions.length !== 2 || holding.length !== 1)
      throw new Error(
        `Held ${holds.length} times, ${versions.length} versions, ${holding.length} audit entries.`,
      );
  }
}
