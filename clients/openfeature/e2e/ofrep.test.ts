import { join, resolve } from "node:path";
import { inspect } from "node:util";
import { OFREPProvider } from "@openfeature/ofrep-provider";
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature as ServerApi } from "@openfeature/server-sdk";
import { OpenFeature as WebApi } from "@openfeature/web-sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { evaluateFlag, findFlag } from "../../../apps/server/src/planes/ingest/flags.ts";
import { experimentBody, type WireExperiment } from "../../../apps/server/src/test-support/experiments.ts";
import { millionIds } from "../../../packages/bucketing/src/test-support/million-ids.ts";
import { toWireClientConfig } from "../../../packages/contract/src/index.ts";
import { assignAt, compileTimeline } from "../../../packages/domain/src/index.ts";
import { inNight } from "../../../tests/in-night.ts";
import { ReadmePrograms } from "../../typescript/test-support/readme-programs.ts";
import {
  type FlagService,
  openFlagService,
  PROMPT,
  timeoutOf,
  VARIABLES,
} from "../test-support/ofrep/service.ts";

const AT_A_TIME = 50;
const PAGES = 10;
const [OF_SERVERS, OF_PAGES] = [inNight(200, 2_000), inNight(50, 2_000)];

let flags: FlagService;
beforeAll(async () => {
  flags = await openFlagService();
});
afterAll(() => flags.stop());

const details = (variant: string | null) =>
  variant === null
    ? { value: "none" }
    : { value: variant, variant, reason: "SPLIT", flagMetadata: { prompt: PROMPT } };

test("flags give 100,000 users the variant that our client gives them", async () => {
  const control = flags.api.openControl();
  const orgs = await control.orgs.list();
  const found = await Promise.all(orgs.map(({ id }) => control.experiments.list(id)));
  const experiment = found.flat().find(({ id }) => id === flags.experiment.id);
  await control.close();
  if (experiment === undefined) throw new Error("The experiment is not stored.");
  const timeline = compileTimeline([experiment]);
  const { experiments } = toWireClientConfig("publishable", 1, [experiment], new Map());
  const flag = findFlag({ byKey: new Map(experiments.map((one) => [one.name, one])) }, "shared");
  if (flag === null) throw new Error("The flag is not found.");
  const counts = new Map<string | null, number>();
  for (const user of millionIds(100_000)) {
    const { value = null } = evaluateFlag(
      flag,
      assignAt(timeline, { userId: user, unitId: user }, Date.now()),
    );
    if (value !== flags.variantOf(user)) expect([user, value]).toEqual([user, flags.variantOf(user)]);
    counts.set(value as string | null, (counts.get(value as string | null) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual(["brief", "control", "kind", null]);
});

describe("OpenFeature's provider for servers, over HTTP", () => {
  beforeAll(async () => {
    const { api, key } = flags;
    const provider = new OFREPProvider({ baseUrl: api.service.url, headers: [["X-API-Key", key]] });
    await ServerApi.setProviderAndWait(provider);
  });
  afterAll(() => ServerApi.clearProviders());
  const client = ServerApi.getClient();

  test(
    `gives ${OF_SERVERS} users the variant that our client gives them`,
    async () => {
      const ids = millionIds(OF_SERVERS);
      for (let from = 0; from < ids.length; from += AT_A_TIME) {
        const users = ids.slice(from, from + AT_A_TIME);
        const evaluated = await Promise.all(
          users.map((targetingKey) => client.getStringDetails("shared", "none", { targetingKey })),
        );
        expect(evaluated).toMatchObject(users.map((user) => details(flags.variantOf(user))));
      }
    },
    timeoutOf(OF_SERVERS),
  );

  test("reads prompts and variables, and the protocol's errors", async () => {
    const user = { targetingKey: userWithVariant() };
    expect(await client.getStringValue("shared.prompt", "none", user)).toBe(PROMPT);
    expect(await client.getObjectValue("shared.variables", {}, user)).toEqual(VARIABLES);
    const codes = [];
    for (const [flag, context] of [
      ["unknown", user],
      ["shared", {}],
      ["shared.variables", user],
    ] as const)
      codes.push((await client.getStringDetails(flag, "none", context)).errorCode);
    expect(codes).toEqual(["FLAG_NOT_FOUND", "TARGETING_KEY_MISSING", "TYPE_MISMATCH"]);
  });
});

describe("OpenFeature's provider for pages, over HTTP", () => {
  const open = async (domain: string, headers: [string, string][], targetingKey: string) => {
    const options = { baseUrl: flags.api.service.url, headers, cacheMode: "disabled" as const };
    await WebApi.setProviderAndWait(domain, new OFREPWebProvider(options), { targetingKey });
  };
  afterAll(() => WebApi.clearProviders());

  /** A page has one user at a time. */
  async function browse(page: string, [first = "", ...others]: readonly string[]): Promise<void> {
    await open(page, [["Authorization", `Bearer ${flags.key}`]], first);
    const client = WebApi.getClient(page);
    for (const user of [first, ...others]) {
      await WebApi.setContext(page, { targetingKey: user });
      const variant = flags.variantOf(user);
      expect([user, client.getStringDetails("shared", "none")]).toMatchObject([user, details(variant)]);
      expect(client.getStringValue("shared.prompt", "none")).toBe(variant === null ? "none" : PROMPT);
      expect(client.getObjectValue("shared.variables", {})).toEqual(variant === null ? {} : VARIABLES);
    }
  }

  test(
    `gives ${OF_PAGES} users the variant that our client gives them`,
    async () => {
      const pages = Map.groupBy(millionIds(OF_PAGES), (_, index) => `page-${index % PAGES}`);
      await Promise.all([...pages].map(([page, users]) => browse(page, users)));
    },
    timeoutOf(OF_PAGES),
  );

  test("fails for good without a key", async () => {
    await expect(open("without-a-key", [], "ann")).rejects.toMatchObject({ code: "PROVIDER_FATAL" });
  });
});

test("the program of docs/openfeature.md evaluates flags and records one exposure", async () => {
  const root = resolve(import.meta.dirname, "../../..");
  const folder = resolve(import.meta.dirname, "..");
  const page = join(root, "docs/openfeature.md");
  const programs = new ReadmePrograms(folder, join(root, "node_modules"), page);
  expect(programs.names).toEqual(["flags.ts"]);
  const { api, key } = flags;
  const greeting = (await api.call<WireExperiment>("POST", "/v1/experiments", { body: greetingBody() })).body;
  const env = { ASSAY_API_KEY: key, ASSAY_BASE_URL: api.service.url };
  const { exitCode, output, errors } = await programs.run("flags.ts", env);
  programs.remove();
  expect([exitCode, errors]).toEqual([0, ""]);
  const path = "/v1/assign";
  const asked = { experiment_id: greeting.id, user_id: "ann" };
  const { variant } = (await api.call<{ variant: string }>("POST", path, { key, body: asked })).body;
  const given = { variant, prompt: PROMPT, settings: VARIABLES };
  expect(output).toBe(`${inspect(given)}\n`);
  await expect
    .poll(async () => (await liveOf(greeting.id)).exposures)
    .toEqual({
      ...{ control: 0, friendly: 0 },
      [variant]: 1,
    });
});

const liveOf = async (id: string) =>
  (await flags.api.call<{ exposures: Record<string, number> }>("GET", `/v1/experiments/${id}/live`)).body;

function greetingBody() {
  const keys = ["control", "friendly"];
  return experimentBody("greeting", {
    assignment: "assay",
    allocation: keys.map((variant) => ({ variant, weight: 1 })),
    variants: keys.map((one) => ({ key: one, prompt: PROMPT, variables: VARIABLES })),
  });
}

function userWithVariant(): string {
  const user = millionIds(100).find((id) => flags.variantOf(id) !== null);
  if (user === undefined) throw new Error("Nobody has a variant.");
  return user;
}
