import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Teardown } from "./teardown.ts";

function openTeardown(withinMs?: number) {
  const told: unknown[] = [];
  const done: string[] = [];
  const teardown = new Teardown({ warn: (fields: unknown) => void told.push(fields) } as never, withinMs);
  const add = (name: string, undo: () => Promise<void> | void = () => {}) =>
    teardown.add(async () => {
      await undo();
      done.push(name);
    }, name);
  return { teardown, told, done, add };
}

test("steps are undone one at a time, the last one first", async () => {
  const { teardown, told, done, add } = openTeardown();
  add("engine");
  add("worker", () => sleep(5));
  add("requests", () => sleep(10));
  await teardown.run();
  expect([done, told]).toEqual([["requests", "worker", "engine"], []]);
});

test("a failing step does not prevent the others, and is reported at the end", async () => {
  const { teardown, done, add } = openTeardown();
  add("engine");
  add("worker", () => {
    throw new Error("broken");
  });
  await expect(teardown.run()).rejects.toThrow("broken");
  expect(done).toEqual(["engine"]);
});

test("a step that never ends is left behind, with a word about it, and the rest is undone in order", async () => {
  const { teardown, told, done, add } = openTeardown(50);
  add("lock");
  add("engine", () => sleep(5));
  add("worker", () => new Promise(() => {}));
  await teardown.run();
  expect([done, told]).toEqual([["engine", "lock"], [{ step: "worker" }]]);
});

test("what was undone is not undone again", async () => {
  const { teardown, done, add } = openTeardown();
  add("engine");
  await teardown.run();
  await teardown.run();
  expect(done).toEqual(["engine"]);
});

test("a process that a hanging step has left nothing to wait for undoes the rest before it ends", async () => {
  const program = `
    import { Teardown } from ${JSON.stringify(new URL("./teardown.ts", import.meta.url).href)};
    const teardown = new Teardown(undefined, 20);
    teardown.add(() => console.log("engine"));
    teardown.add(() => new Promise(() => {}));
    await teardown.run();
    console.log("ended");`;
  const args = ["--input-type=module", "--eval", program];
  expect((await promisify(execFile)(process.execPath, args)).stdout).toBe("engine\nended\n");
});
