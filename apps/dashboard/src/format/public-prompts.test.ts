import { expect, test } from "vitest";
import type { Experiment } from "../api/types.ts";
import { browserKey, showsPrompts } from "./public-prompts.ts";

const key = {
  ...{
    scope: "publishable" as const,
    created_at: "2026-11-01T00:00:00.000Z",
    revealable: true,
    prefix: null,
  },
  ...{ allowed_origins: null, last_used_at: "2026-11-02T00:00:00.000Z", last_browser_use_at: null },
};
const used = { ...key, last_browser_use_at: "2026-11-02T00:00:00.000Z" };
const bound = { ...key, allowed_origins: ["https://app.example.com"] };

test.each([
  ["no key", [], null],
  ["a key that only servers use", [key], null],
  ["a secret key that a page used", [{ ...used, scope: "secret" as const }], null],
  ["a key that a page used", [key, used].slice(1), used],
  ["a key with allowed origins", [bound], bound],
])("of %s", (_, keys, expected) => expect(browserKey(keys)).toEqual(expected));

const experiment = {
  status: "running",
  visibility: "client",
  variants: [{ key: "control" }, { key: "concise", prompt: "" }],
  is_demo: false,
} as unknown as Experiment;

test.each<[string, Partial<Experiment>, boolean]>([
  ["a running experiment", {}, true],
  ["one with variables alone", { variants: [{ key: "a", variables: {} }] }, true],
  ["one without content", { variants: [{ key: "a", prompt: null, variables: null }] }, false],
  ["one without variants", { variants: undefined as never }, false],
  ["a server-only one", { visibility: "server" }, false],
  ["one on another system's flag", { flag_key: "tone" }, false],
  ["a draft", { status: "draft" }, false],
  ["a stopped one", { status: "stopped" }, false],
  ["the demo", { is_demo: true }, false],
])("%s", (_, change, shows) => expect(showsPrompts({ ...experiment, ...change })).toBe(shows));
