import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runsOnServers } from "../servers/fresh-engines.ts";
import { cleanUp } from "./support/clean-up.ts";
import { createExperiment } from "./support/experiment.ts";
import { expectOk, ownerSession, type RunningService, startService } from "./support/service.ts";
import { serverEngines } from "./support/shared-engines.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const ROTATIONS = 30;
const LANES_PER_SERVICE = 4;

afterAll(cleanUp);

if (runsOnServers) describe("two processes on one set of servers", overTwoProcesses);
else {
  console.warn("NOT RUN: rotation over two processes. It needs servers: see `npm run servers`.");
  test.skip("NOT RUN: rotation over two processes (no servers)", () => {});
}

type Headers = Readonly<Record<string, string>>;

function overTwoProcesses(): void {
  let services: readonly [here: RunningService, there: RunningService];
  let session: Headers;
  let experimentId: string;

  beforeAll(async () => {
    const env = { ...(await serverEngines()), ASSAY_RATE_CONFIG_PER_SECOND: "100000" };
    const here = await startService(temporaryFolder(), env);
    services = [here, await startService(temporaryFolder(), env)];
    session = await ownerSession(here);
    experimentId = await createExperiment(here, { session, key: {} }, "signed");
  });

  test(`a rotated key is refused and the new one accepted at the very next request, in every process: ${ROTATIONS} times under load`, async () => {
    const [here, there] = services;
    const rotate = async () => {
      const request = { headers: session, body: { scope: "publishable" } };
      return (await expectOk(here.send<{ key: string }>("POST", "/v1/keys", request))).key;
    };
    const load = startLoad(services, await rotate());
    for (let turn = 0; turn < ROTATIONS; turn++) {
      const old = load.key();
      const key = await load.replace(rotate);
      const [dead, alive] = await Promise.all([configStatus(there, old), configStatus(there, key)]);
      expect([turn, dead, alive]).toEqual([turn, 401, 200]);
    }
    const asked = await load.stop();
    expect(asked.length).toBeGreaterThan(ROTATIONS);
    expect(asked.filter(({ isRight }) => !isRight)).toEqual([]);
  });

  test("a rotated webhook secret no longer signs anything, in any process", async () => {
    const [here, there] = services;
    const rotate = async () => {
      const rotated = here.send<{ secret: string }>("POST", "/v1/webhook-secrets", { headers: session });
      return (await expectOk(rotated)).secret;
    };
    let old = await rotate();
    for (let turn = 0; turn < 20; turn++) {
      expect(await signedStatus(there, { secret: old, experimentId })).toBe(202);
      const secret = await rotate();
      expect(await signedStatus(there, { secret: old, experimentId })).toBe(401);
      old = secret;
    }
  });

  test("a removed member's session ends everywhere with the removal", async () => {
    const [here, there] = services;
    for (let turn = 0; turn < 3; turn++) {
      const headers = await memberSession(there, `member-${turn}@example.com`);
      const { user_id } = await expectOk(there.send<{ user_id: string }>("GET", "/v1/whoami", { headers }));
      await expectOk(here.send("DELETE", `/v1/members/${user_id}`, { headers: session }));
      expect((await there.send("GET", "/v1/whoami", { headers })).status).toBe(401);
    }
  });
}

async function configStatus(service: RunningService, key: string): Promise<number> {
  return (await service.send("GET", "/v1/config", { headers: { "x-api-key": key } })).status;
}

async function signedStatus(
  service: RunningService,
  { secret, experimentId }: { readonly secret: string; readonly experimentId: string },
): Promise<number> {
  const body = {
    experiment_id: experimentId,
    user_id: "u",
    variant: "control",
    business_metric: "bought",
    value: 1,
  };
  const [id, at] = [randomUUID(), new Date()];
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign(id, at, JSON.stringify(body)),
  };
  return (await service.send("POST", "/v1/business-events", { headers, body })).status;
}

const memberSession = (service: RunningService, email: string): Promise<Headers> =>
  ownerSession(service, ["--email", email, "--role", "member"]);

/**
 * A request of the load, judged: a key must work until its rotation is requested, and must not work once the rotation
 * is confirmed.
 */
interface Asked {
  readonly generation: number;
  readonly status: number;
  readonly isRight: boolean;
}

/** Keeps asking all services for their config with the key that is current when the request leaves, or the one before. */
function startLoad(services: readonly RunningService[], firstKey: string) {
  const keys = [firstKey];
  /** By generation of the key: when its end was requested, and when it was confirmed. */
  const ends: { asked: number; answered: number }[] = [];
  const asked: Asked[] = [];
  let isStopping = false;

  const ask = async (service: RunningService, generation: number) => {
    const start = performance.now();
    const status = await configStatus(service, keys[generation] ?? "");
    const { asked: from = Infinity, answered: until = Infinity } = ends[generation] ?? {};
    const mustWork = performance.now() < from;
    const mustFail = start > until;
    asked.push({
      generation,
      status,
      isRight: mustWork ? status === 200 : mustFail ? status === 401 : [200, 401].includes(status),
    });
  };
  const lane = async (service: RunningService) => {
    for (let turn = 0; !isStopping; turn++) {
      await ask(service, Math.max(0, keys.length - 1 - (turn % 2)));
      await sleep(1);
    }
  };
  const lanes = services.flatMap((service) => Array.from({ length: LANES_PER_SERVICE }, () => lane(service)));
  return {
    key: () => keys.at(-1) ?? "",
    async replace(rotate: () => Promise<string>): Promise<string> {
      const end = { asked: performance.now(), answered: Infinity };
      ends.push(end);
      const key = await rotate();
      end.answered = performance.now();
      keys.push(key);
      return key;
    },
    async stop(): Promise<readonly Asked[]> {
      isStopping = true;
      await Promise.all(lanes);
      return asked;
    },
  };
}
