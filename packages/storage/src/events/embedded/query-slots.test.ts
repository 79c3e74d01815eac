import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createQuerySlots } from "./query-slots.ts";
import { Refusal } from "./refusal.ts";

const never = new AbortController().signal;

/** Tasks that record their start and end only on request. */
function recorder(limits: { running: number; waiting: number }) {
  const slots = createQuerySlots(limits);
  const begun: string[] = [];
  const finish = new Map<string, () => void>();
  const run = (name: string, signal = never) =>
    slots.run(signal, () => {
      begun.push(name);
      return new Promise<string>((resolve) => finish.set(name, () => resolve(name)));
    });
  const started = async () => {
    await setImmediate(); // admitted tasks begin in microtasks
    return begun;
  };
  return { run, started, finish: (name: string) => finish.get(name)!() };
}

describe("query slots", () => {
  test("run up to the limit at once and admit the rest in order of arrival", async () => {
    const { run, started, finish } = recorder({ running: 2, waiting: 10 });
    const [a, , c] = [run("a"), run("b"), run("c"), run("d")];
    expect(await started()).toEqual(["a", "b"]);
    finish("a");
    await a;
    expect(await started()).toEqual(["a", "b", "c"]);
    finish("c");
    await c;
    expect(await started()).toEqual(["a", "b", "c", "d"]);
  });

  test("refuse a task when too many wait, and accept the next once there is room", async () => {
    const { run, started, finish } = recorder({ running: 1, waiting: 1 });
    const a = run("a");
    const b = run("b");
    await expect(run("c")).rejects.toThrow(Refusal);
    finish("a");
    await a;
    finish("b");
    await b;
    const d = run("d");
    expect(await started()).toEqual(["a", "b", "d"]);
    finish("d");
    await d;
  });

  test("forget a task that leaves the line", async () => {
    const { run, started, finish } = recorder({ running: 1, waiting: 2 });
    const leaving = new AbortController();
    const a = run("a");
    const b = run("b", leaving.signal);
    const c = run("c");
    leaving.abort(new Error("gone"));
    await expect(b).rejects.toThrow("gone");
    finish("a");
    await a;
    finish("c");
    await c;
    expect(await started()).toEqual(["a", "c"]);
  });

  test("free the slot of a task that fails", async () => {
    const slots = createQuerySlots({ running: 1, waiting: 0 });
    await expect(slots.run(never, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    await expect(slots.run(never, async () => "next")).resolves.toBe("next");
  });
});
