import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { makeClient, startService } from "../test-support/client-fixture.ts";
import { readVectors } from "../test-support/read-vectors.ts";
import { sampleConfig } from "../test-support/sample-config.ts";
import { Client } from "./client.ts";

interface OverrideCase {
  readonly name: string;
  readonly overrides: Readonly<Record<string, string>>;
  readonly loaded: boolean;
  readonly experiment: string;
  readonly user_id: string;
  readonly variant: string | null;
  readonly marked: boolean;
  readonly ignored: readonly string[];
}
const { config, cases } = readVectors<{ config: unknown; cases: readonly OverrideCase[] }>("overrides");

let server: ScriptedServer;
beforeEach(async () => {
  server = await startService();
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await server.stop();
});

const saleOf = (experiment: string, metadata?: Record<string, unknown>) => ({
  experiment_id: experiment,
  user_id: "u",
  business_metric: "sale",
  ...(metadata && { metadata }),
});

test.each(cases)("overrides.json: $name", async (vector) => {
  const { overrides, loaded, experiment, user_id, variant, marked, ignored } = vector;
  server.script("/v1/config", "hang");
  const { client, lines } = makeClient(server, { overrides, ...(loaded && { bootstrap: config }) });
  expect(client.assign(experiment, user_id)).toBe(variant);
  expect(client.assign(experiment, user_id)).toBe(variant);
  client.track("business_event", saleOf(experiment));
  client.track("business_event", saleOf(experiment, { page: 1 }));
  await client.flush();
  const rows = server.batches.flat();
  const metadata = rows.filter(({ type }) => type === "business_event").map((row) => row.metadata);
  expect(metadata).toEqual(
    marked ? [{ assay_test: true }, { page: 1, assay_test: true }] : [undefined, { page: 1 }],
  );
  const exposures = rows.filter(({ type }) => type === "exposure");
  expect(exposures).toHaveLength(variant === null || experiment === "shipped" ? 0 : 1);
  for (const exposure of exposures) {
    expect(exposure.variant).toBe(variant);
    expect(exposure.metadata).toEqual(marked ? { assay_test: true } : undefined);
  }
  const warned = lines.filter((line) => line.includes("override ignored"));
  expect(warned).toHaveLength(ignored.length);
  for (const [index, key] of ignored.entries()) expect(warned[index]).toContain(key);
});

test("no overrides may also be null", async () => {
  const { client } = makeClient(server, { overrides: null as unknown as Record<string, string> });
  expect(await client.ready()).toBe(true);
});

test("prompt and variables come from the forced variant", () => {
  const { client } = makeClient(server, { overrides: { greeting: "short" }, bootstrap: config });
  expect(client.getPrompt("greeting", "u", "default").prompt).toBe("S");
  expect(client.getVariables("greeting", "u", { t: 0 })).toEqual({ t: 1 });
});

describe("the page's address", () => {
  const variantAt = (search: string, options: object) => {
    vi.stubGlobal("location", { search });
    return makeClient(server, { bootstrap: config, ...options }).client.assign("greeting", "u");
  };

  test("forces a variant when allowed, and takes precedence over the option", () => {
    const options = { urlOverrides: true, overrides: { greeting: "off" } };
    expect(variantAt("?a=1&assay=tone%3Aother,greeting:short", options)).toBe("short");
    expect(variantAt("", options)).toBe("off");
  });

  test.each(["?assay=greeting", "?assay=", "?assay=:short", "?assay=,,", "?other=greeting:short"])(
    "%s forces nothing",
    (search) => expect(variantAt(search, { urlOverrides: true })).toBe("control"),
  );

  test("forces nothing unless the option allows it", () => {
    expect(variantAt("?assay=greeting:short", {})).toBe("control");
  });

  test("is ignored where there is none", () => {
    const { client } = makeClient(server, { bootstrap: config, urlOverrides: true });
    expect(client.assign("greeting", "u")).toBe("control");
  });
});

describe("an offline client", () => {
  const offline = (options = {}) => {
    const requests: string[] = [];
    const fetch = (url: string) => {
      requests.push(url);
      return Promise.reject(new Error("no request is made"));
    };
    const log = { warn: () => {}, error: () => {} };
    return { client: new Client({ offline: true, fetch, log, ...options }), requests };
  };

  test("needs no key, makes no request, and assigns from its bootstrap", async () => {
    const { client, requests } = offline({ bootstrap: sampleConfig(), experiments: ["greeting"] });
    expect(await client.ready()).toBe(true);
    expect(client.assign("greeting", "u")).toBe("short");
    client.track("business_event", saleOf("greeting"));
    expect(await client.flush()).toBe(true);
    expect(await client.close()).toBe(true);
    expect(requests).toEqual([]);
  });

  test("without a config has no experiments", async () => {
    const { client, requests } = offline({ experiments: ["greeting"] });
    expect(await client.ready(0)).toBe(true);
    expect(client.getPrompt("greeting", "u", "default").prompt).toBe("default");
    expect(await client.close()).toBe(true);
    expect(requests).toEqual([]);
  });
});
