import { expect, test } from "vitest";
import { createKeyedMutex } from "./keyed-mutex.ts";

/** A task that ends on demand. */
function taskOf(name: string, log: string[]) {
  const { promise, resolve: end } = Promise.withResolvers<"done" | "failed">();
  const run = async () => {
    log.push(`${name} begins`);
    const outcome = await promise;
    log.push(`${name} ends`);
    if (outcome === "failed") throw new Error(name);
    return name;
  };
  return { run, end };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("runs the tasks of one key in the order of the calls, without blocking other keys", async () => {
  const mutex = createKeyedMutex();
  const log: string[] = [];
  const [one, two, other] = ["one", "two", "other"].map((name) => taskOf(name, log));
  const answers = Promise.all([mutex("a", one!.run), mutex("a", two!.run), mutex("b", other!.run)]);
  await settled();
  expect(log).toEqual(["one begins", "other begins"]);
  for (const task of [two, one, other]) task!.end("done");
  expect(await answers).toEqual(["one", "two", "other"]);
  expect(log.indexOf("two begins")).toBeGreaterThan(log.indexOf("one ends"));
});

test("rejects only for the caller of a failed task, and runs the next one", async () => {
  const mutex = createKeyedMutex();
  const [one, two] = ["one", "two"].map((name) => taskOf(name, []));
  const failing = mutex("a", one!.run);
  const next = mutex("a", two!.run);
  one!.end("failed");
  two!.end("done");
  await expect(failing).rejects.toThrow("one");
  expect(await next).toBe("two");
  expect(await mutex("a", async () => "later")).toBe("later");
});
