import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, expect, test, vi } from "vitest";

const ADA = { user: "ada", observed: [] };
const BOB = { user: "bob", observed: [] };

async function load() {
  vi.resetModules();
  return (await import("./global.ts")).contextStorage;
}

afterEach(() => vi.unstubAllGlobals());

test("follows the synchronous part where nothing better exists", async () => {
  const storage = await load();
  const users = storage.run(ADA, () => [
    storage.getStore()?.user,
    storage.run(BOB, () => storage.getStore()?.user),
    storage.getStore()?.user,
  ]);
  expect(users).toEqual(["ada", "bob", "ada"]);
  expect(storage.getStore()).toBeUndefined();
});

test("ends at an error, and at an await", async () => {
  const storage = await load();
  const failing = () => {
    throw new Error("mine");
  };
  expect(() => storage.run(ADA, failing)).toThrow("mine");
  expect(storage.getStore()).toBeUndefined();
  const after = storage.run(ADA, async () => {
    await null;
    return storage.getStore();
  });
  expect(await after).toBeUndefined();
});

test("follows awaits where the runtime has an AsyncLocalStorage as a global", async () => {
  vi.stubGlobal("AsyncLocalStorage", AsyncLocalStorage);
  const storage = await load();
  const after = storage.run(ADA, async () => {
    await null;
    return storage.getStore();
  });
  expect(await after).toBe(ADA);
});
