import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

/** A work that ends when told to. */
function workOf(name: string, log: string[]) {
  let end: (outcome: "done" | "failed") => void = () => undefined;
  const told = new Promise<"done" | "failed">((resolve) => {
    end = resolve;
  });
  const run = async () => {
    log.push(`${name} begins`);
    const outcome = await told;
    log.push(`${name} ends`);
    if (outcome === "failed") throw new Error(name);
    return name;
  };
  return { run, end };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("runs the works of a key in the order of the calls, and those of another meanwhile", async () => {
  const turns = createTurns();
  const log: string[] = [];
  const [one, two, other] = ["one", "two", "other"].map((name) => workOf(name, log));
  const answers = Promise.all([turns("a", one!.run), turns("a", two!.run), turns("b", other!.run)]);
  await settled();
  expect(log).toEqual(["one begins", "other begins"]);
  for (const work of [two, one, other]) work!.end("done");
  expect(await answers).toEqual(["one", "two", "other"]);
  expect(log.indexOf("two begins")).toBeGreaterThan(log.indexOf("one ends"));
});

test("a failure is the caller's own, and the next has its turn", async () => {
  const turns = createTurns();
  const [one, two] = ["one", "two"].map((name) => workOf(name, []));
  const failing = turns("a", one!.run);
  const next = turns("a", two!.run);
  one!.end("failed");
  two!.end("done");
  await expect(failing).rejects.toThrow("one");
  expect(await next).toBe("two");
  expect(await turns("a", async () => "later")).toBe("later");
});
