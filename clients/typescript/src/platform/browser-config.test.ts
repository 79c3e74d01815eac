import { afterEach, expect, test, vi } from "vitest";
import { RecordedLog } from "../../test-support/recorded-log.ts";
import { createClientLog } from "../client-log.ts";
import { keepFile } from "./browser.ts";

afterEach(() => vi.unstubAllGlobals());

const NOW = Date.UTC(2026, 6, 6, 12);
const config = { config_version: 1, experiments: [] };

function open(offlineStore?: boolean) {
  const log = createClientLog(new RecordedLog(), () => () => {});
  return keepFile({ offlineStore, apiKey: "svc_pk_1", baseUrl: "https://a.example", now: () => NOW, log });
}

function stubStorage() {
  const kept = new Map<string, string>();
  const localStorage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
  };
  vi.stubGlobal("localStorage", localStorage);
  return kept;
}

test("a page keeps the config in localStorage, without the key", async () => {
  const kept = stubStorage();
  const file = open();
  expect(file.read()).toBeNull();
  file.save(config, undefined);
  await expect.poll(() => kept.size).toBe(1);
  const text = open().read() ?? "";
  expect(JSON.parse(text)).toEqual({
    v: 1,
    key_hash: file.keyHash,
    base_url: "https://a.example",
    kept_at: "2026-07-06T12:00:00.000Z",
    config,
  });
  expect(JSON.stringify([...kept])).not.toContain("svc_pk_1");
});

test("a known config is not written again, and none is written when the store is off", async () => {
  const kept = stubStorage();
  open().save(config, { ...config });
  open(false).save(config, undefined);
  open().save({ ...config, config_version: 2 }, config);
  await expect.poll(() => kept.size).toBe(1);
  expect([...kept.values()].join()).toContain('"config_version":2');
  expect(open(false).read()).toBeNull();
});

test("a page whose storage is forbidden or full keeps nothing", async () => {
  const refuse = () => {
    throw new Error("denied");
  };
  vi.stubGlobal("localStorage", { getItem: refuse, setItem: refuse });
  const file = open();
  expect(file.read()).toBeNull();
  file.save(config, undefined);
  const { saveConfig } = await import("./config-storage.ts");
  const settings = { apiKey: "k", baseUrl: "u", now: () => NOW, keyHash: file.keyHash };
  const log = createClientLog(new RecordedLog(), () => () => {});
  expect(() => saveConfig({ ...settings, offlineStore: undefined, log }, config, undefined)).not.toThrow();
});
