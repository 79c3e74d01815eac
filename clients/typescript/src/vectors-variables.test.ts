import { describe, expect, test } from "vitest";
import { canonicalJson } from "../test-support/canonical-json.ts";
import { readVectors } from "../test-support/read-vectors.ts";
import { CoreClient } from "./core-client.ts";

interface ContentCase {
  readonly name: string;
  readonly call: "get_prompt" | "get_variables" | "get_variables_detail";
  readonly loaded: boolean;
  readonly experiment: string;
  readonly default: unknown;
  readonly expected: unknown;
  readonly warned?: readonly string[];
}

const { config, cases } = readVectors<{ config: unknown; cases: readonly ContentCase[] }>("variables");

/** A client that has loaded `config`, or nothing yet. */
async function clientWith(isLoaded: boolean, warned: string[] = []): Promise<CoreClient> {
  const fetch = () => (isLoaded ? Promise.resolve(Response.json(config)) : new Promise<never>(() => {}));
  const log = { warn: (message: string) => void warned.push(message), error: () => {} };
  const options = {
    apiKey: "k",
    baseUrl: "http://unused.invalid",
    trackExposures: false,
    log,
    fetch,
  };
  const client = new CoreClient(options);
  if (isLoaded) expect(await client.ready()).toBe(true);
  return client;
}

const loaded = await clientWith(true);
const empty = await clientWith(false);
const clientOf = (vector: ContentCase) => (vector.loaded ? loaded : empty);

describe("variables.json", () => {
  test.each(cases.filter(({ call }) => call === "get_prompt"))("$name", (vector) => {
    const { experiment, default: standard, expected } = vector;
    expect(clientOf(vector).getPrompt(experiment, "u", String(standard))).toEqual(expected);
  });

  test.each(cases.filter(({ call }) => call === "get_variables"))("$name", (vector) => {
    const ask = (defaults: object) => clientOf(vector).getVariables(vector.experiment, "u", defaults);
    const defaults = copyOf(vector.default);
    const answer = ask(defaults);
    expect(canonicalJson(answer)).toBe(canonicalJson(vector.expected));
    expect(canonicalJson(defaults)).toBe(canonicalJson(vector.default));
    expect(answer).not.toBe(defaults);
    spoil(answer);
    expect(canonicalJson(ask(copyOf(vector.default)))).toBe(canonicalJson(vector.expected));
  });

  test.each(cases.filter(({ call }) => call === "get_variables_detail"))("$name", async (vector) => {
    const warnings: string[] = [];
    const client = await clientWith(vector.loaded, warnings);
    const before = warnings.length;
    for (let call = 0; call < 2; call++) {
      const detail = client.getVariablesDetail(vector.experiment, "u", copyOf(vector.default));
      expect(canonicalJson(detail)).toBe(canonicalJson(vector.expected));
    }
    const names = warnings.slice(before).filter((line) => line.includes("the variable "));
    expect(names.map((line) => /^\[assay\] (.*): the variable (\w+) is/.exec(line)?.slice(1))).toEqual(
      vector.warned?.map((name) => [vector.experiment, name]),
    );
  });
});

const copyOf = (value: unknown) => JSON.parse(JSON.stringify(value));

/** Changes every nested object and list. */
function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const entry of Object.values(value)) spoil(entry);
  if (Array.isArray(value)) value.push("spoilt");
  else Object.assign(value, { spoilt: true });
}
