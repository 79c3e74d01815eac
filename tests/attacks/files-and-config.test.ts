import { execFileSync } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { operations } from "@assay/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimentBody, type WireExperiment } from "../../apps/server/src/test-support/experiments.ts";
import { openTestService, type TestService } from "../../apps/server/src/test-support/test-service.ts";
import { cleanUp } from "../e2e/support/clean-up.ts";
import { CLI, NODE, ROOT } from "../e2e/support/program.ts";
import { startService } from "../e2e/support/service.ts";
import { temporaryFolder } from "../e2e/support/temporary-folder.ts";
import { runsOnServers } from "../servers/fresh-engines.ts";

const SECRET_TEXT = "the prompt that nobody may see";

let api: TestService;
let publishable: string;
let secret: string;
let hidden: WireExperiment;
beforeAll(async () => {
  api = await openTestService();
  [publishable, secret] = [await api.newKey("publishable"), await api.newKey("secret")];
  const body = experimentBody("first name", {
    visibility: "server",
    variants: [
      { key: "control", prompt: SECRET_TEXT },
      { key: "treatment", variables: { text: SECRET_TEXT } },
    ],
  });
  hidden = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
  await api.call("PUT", `/v1/experiments/${hidden.id}`, { body: { name: "second name" } });
});
afterAll(async () => {
  await api.stop();
  await cleanUp();
});

describe("the publishable key reads a server-only prompt", () => {
  const read = async (path: string, init: RequestInit = {}) => {
    const headers = { "x-api-key": publishable, "accept-encoding": "identity", ...init.headers };
    const answer = await fetch(`${api.service.url}${path}`, { ...init, headers });
    return { status: answer.status, text: `${JSON.stringify([...answer.headers])}${await answer.text()}` };
  };

  test("by no route of the API", async () => {
    for (const { method, path } of operations) {
      const url = path.replace(/\{[^}]+\}/g, hidden.id);
      const body = ["GET", "HEAD", "DELETE"].includes(method) ? {} : { body: "{}" };
      const { status, text } = await read(url, {
        method,
        ...body,
        headers: { "content-type": "application/json" },
      });
      expect([method, path, status < 500, text.includes(SECRET_TEXT)]).toEqual([method, path, true, false]);
    }
  });

  test.each([
    { name: "the whole config", path: "/v1/config" },
    { name: "the config of its id", path: "/v1/config?experiments={id}" },
    { name: "the config of its name", path: "/v1/config?experiments=second%20name" },
    { name: "the config of its former name", path: "/v1/config?experiments=first%20name" },
    { name: "the visibility as a parameter", path: "/v1/config?visibility=client&scope=secret" },
    { name: "the secret's scope as a header", path: "/v1/config", headers: { "x-api-key-scope": "secret" } },
    { name: "any ETag", path: "/v1/config", headers: { "if-none-match": "*" } },
    { name: "HEAD", path: "/v1/config", method: "HEAD" },
    { name: "a bearer token", path: "/v1/experiments", headers: { authorization: "Bearer {key}" } },
    { name: "a session cookie", path: "/v1/experiments", headers: { cookie: "__session={key}" } },
    { name: "its versions", path: "/v1/experiments/{id}/versions" },
    { name: "a path that climbs", path: "/v1/config/..%2fexperiments" },
  ])("not by $name", async ({ path, headers = {}, ...init }) => {
    const fill = (text: string) => text.replace("{id}", hidden.id).replace("{key}", publishable);
    const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
    const { text } = await read(fill(path), { ...init, headers: filled });
    expect(text).not.toContain(SECRET_TEXT);
  });

  test("not from an answer that was compressed for the secret key", async () => {
    const packed = async (key: string) => {
      const headers = { "x-api-key": key, "accept-encoding": "gzip" };
      const answer = await fetch(`${api.service.url}/v1/config`, { headers });
      return Buffer.from(await answer.arrayBuffer()).toString("utf8");
    };
    const [asServer, asPage] = [await packed(secret), await packed(publishable)];
    expect(asServer).toContain(SECRET_TEXT);
    expect(asPage).not.toContain(SECRET_TEXT);
  });

  test("not from a cache that others share", async () => {
    const { headers } = await fetch(`${api.service.url}/v1/config`, { headers: { "x-api-key": secret } });
    expect(headers.get("cache-control")).toMatch(/\bprivate\b/);
    expect(headers.get("vary")).toContain("X-API-Key");
  });

  test("not by assigning a user, nor from the answer to an event", async () => {
    const post = (path: string, body: unknown) =>
      read(path, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
    const assigned = await post("/v1/assign", { experiment_id: hidden.id, user_id: "ann" });
    const event = { type: "exposure", experiment_id: hidden.id, user_id: "ann", variant: "no such variant" };
    const sent = await post("/v1/events", [{ ...event, event_id: "e", timestamp: new Date().toISOString() }]);
    expect([assigned.status, sent.status]).toEqual([200, 202]);
    expect(assigned.text + sent.text).not.toContain(SECRET_TEXT);
  });
});

describe("a request with two hosts", () => {
  /** Sends bytes as they are; the answer's head. */
  const raw = (lines: readonly string[]) =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(api.service.url);
      const socket = connect(Number(port), hostname, () => socket.write([...lines, "", ""].join("\r\n")));
      const chunks: Buffer[] = [];
      socket.on("data", (chunk: Buffer) => chunks.push(chunk));
      socket.on("error", reject);
      socket.on("close", () => resolve(Buffer.concat(chunks).toString("utf8")));
    });
  const ours = () => new URL(api.service.url).host;

  test.each([
    { name: "different ones", hosts: ["Host: {ours}", "Host: evil.example"] },
    { name: "the foreign one first", hosts: ["Host: evil.example", "Host: {ours}"] },
    { name: "the same one twice", hosts: ["Host: {ours}", "host: {ours}"] },
    { name: "an empty one", hosts: ["Host:", "HOST: {ours}"] },
  ])("is 400: $name", async ({ hosts }) => {
    const lines = hosts.map((line) => line.replace("{ours}", ours()));
    for (const path of ["/v1/config", "/healthz", "/", "/nothing/here", "/v1/whoami"]) {
      const answer = await raw([`GET ${path} HTTP/1.1`, ...lines, "Connection: close"]);
      expect([path, answer.split("\r\n")[0], /problems\/[\w-]+/.exec(answer)?.[0]]).toEqual([
        path,
        "HTTP/1.1 400 Bad Request",
        "problems/invalid-host",
      ]);
    }
  });

  test("does not include one with a Host and an X-Host header", async () => {
    const lines = [`Host: ${ours()}`, "X-Host: evil.example", "Connection: close"];
    expect(await raw(["GET /healthz HTTP/1.1", ...lines])).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe("an attacker who writes to the database without the master key", () => {
  /** The owner's org and another one, each with both keys and a webhook secret. */
  const twoOrgs = async () => {
    const token = await api.token({ email: "eve@elsewhere.org", org: "elsewhere" });
    for (const scope of ["secret", "publishable"])
      await api.call("POST", "/v1/keys", { token, body: { scope } });
    const whoami = async (options = {}) =>
      (await api.call<{ org_id: string }>("GET", "/v1/whoami", options)).body.org_id;
    return { token, mine: await whoami(), eves: await whoami({ token }) };
  };
  const reveal = (scope: string, token?: string) =>
    api.call<{ key?: string }>("GET", `/v1/keys/${scope}/reveal`, token === undefined ? {} : { token });

  test.each([
    { name: "another org's secret key", from: "secret", to: "secret" },
    { name: "another org's publishable key", from: "publishable", to: "publishable" },
    { name: "another org's secret key as a publishable one", from: "secret", to: "publishable" },
  ] as const)("cannot have $name revealed in their org", async ({ from, to }) => {
    const { token, mine, eves } = await twoOrgs();
    const control = api.openControl();
    const sealed = (await control.keys.find(mine, from))?.sealed ?? null;
    const own = await control.keys.find(eves, to);
    await control.keys.rotate({ orgId: eves, scope: to, hash: own?.hash ?? "", sealed, createdAt: 1 });
    await control.close();
    const { status, body } = await reveal(to, token);
    expect([status, body.key]).toEqual([404, undefined]);
    expect((await api.call("GET", "/v1/keys", { token })).status).toBe(200);
    expect((await reveal(from)).status).toBe(200);
  });

  test("cannot have a webhook secret revealed as a key", async () => {
    const { token, mine, eves } = await twoOrgs();
    await api.call("POST", "/v1/webhook-secrets");
    const control = api.openControl();
    const sealed = (await control.webhookSecrets.find(mine))?.sealed ?? null;
    await control.keys.rotate({ orgId: eves, scope: "secret", hash: "swapped", sealed, createdAt: 1 });
    await control.close();
    expect((await reveal("secret", token)).status).toBe(404);
  });

  test("cannot sign another org's business events with the seal of their own secret", async () => {
    const { token, mine, eves } = await twoOrgs();
    const experiment = await api.call<WireExperiment>("POST", "/v1/experiments", {
      body: experimentBody("signed for"),
    });
    const own = await api.call<{ secret: string }>("POST", "/v1/webhook-secrets");
    const eve = await api.call<{ secret: string }>("POST", "/v1/webhook-secrets", { token });
    const event = { experiment_id: experiment.body.id, user_id: "ann", business_metric: "bought" };
    const statusWith = async (secret: string) => {
      const [id, timestamp, body] = [
        randomUUID(),
        String(Math.floor(Date.now() / 1000)),
        JSON.stringify(event),
      ];
      const mac = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"));
      const signature = `v1,${mac.update(`${id}.${timestamp}.${body}`).digest("base64")}`;
      const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
      const answer = await fetch(`${api.service.url}/v1/business-events`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body,
      });
      return answer.status;
    };
    expect(await statusWith(own.body.secret)).toBe(202);
    const control = api.openControl();
    const sealed = (await control.webhookSecrets.find(eves))?.sealed ?? "";
    await control.webhookSecrets.rotate({ orgId: mine, sealed, createdAt: 1 });
    await control.close();
    expect([await statusWith(eve.body.secret), await statusWith(own.body.secret)]).toEqual([401, 401]);
  });

  test("cannot have the seal of their own publishable key revealed as the secret key", async () => {
    const { token, eves } = await twoOrgs();
    const control = api.openControl();
    const sealed = (await control.keys.find(eves, "publishable"))?.sealed ?? null;
    await control.keys.rotate({ orgId: eves, scope: "secret", hash: "swapped too", sealed, createdAt: 1 });
    await control.close();
    expect((await reveal("secret", token)).status).toBe(404);
  });
});

describe.skipIf(runsOnServers)("another user of the machine", () => {
  const looseIn = (path: string): readonly string[] => {
    const inside = readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name));
    return [path, ...inside].flatMap((one) => {
      const found = lstatSync(one, { throwIfNoEntry: false });
      // A link has no permissions of its own; the engine removes files at any time.
      if (found === undefined || found.isSymbolicLink() || (found.mode & 0o077) === 0) return [];
      return [`${(found.mode & 0o777).toString(8)} ${one}`];
    });
  };

  test("cannot read a data folder that was open to them before the start", async () => {
    const dataDir = temporaryFolder();
    const first = await startService(dataDir);
    await first.stop();
    for (const name of ["", ...readdirSync(dataDir, { recursive: true, encoding: "utf8" })]) {
      const path = join(dataDir, name);
      chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o644);
    }
    expect(looseIn(dataDir).length).toBeGreaterThan(10);
    const second = await startService(dataDir);
    expect(looseIn(dataDir)).toEqual([]);
    await second.stop();
    expect(looseIn(dataDir)).toEqual([]);
  });

  const NOBODY = 65_534;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot)
    console.warn("NOT RUN: a data folder of another user. It needs root, to start a command as nobody.");
  test.skipIf(!isRoot)("who owns the data folder makes the command fail, and nothing changes", () => {
    const dataDir = temporaryFolder();
    mkdirSync(join(dataDir, "queue"));
    writeFileSync(join(dataDir, "queue", "queue.mdb"), "");
    writeFileSync(join(dataDir, "format"), "1\n");
    chmodSync(dataDir, 0o777);
    const env = { PATH: process.env.PATH, ASSAY_DATA_DIR: dataDir };
    const run = () =>
      execFileSync(NODE, [CLI, "session-token"], { cwd: ROOT, env, uid: NOBODY, gid: NOBODY, stdio: "pipe" });
    expect(run).toThrow(/data folder .* does not belong to this user: have its owner run chmod -R go= /);
    expect(readdirSync(dataDir)).toEqual(["format", "queue"]);
  });
});
