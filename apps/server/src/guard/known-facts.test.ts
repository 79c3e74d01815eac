import type { Experiment } from "@assay/domain";
import { expect, test } from "vitest";
import { createKnownFacts } from "./known-facts.ts";

const experimentOf = (id: string) => ({ id }) as unknown as Experiment;

test("facts are read again only with another number, or after the experiment was forgotten", async () => {
  const asked: string[] = [];
  const facts = createKnownFacts(async ({ id }) => asked.push(id));
  const one = experimentOf("one");
  expect([await facts.load(one, 1), await facts.load(one, 1)]).toEqual([1, 1]);
  expect([await facts.load(one, 2), await facts.load(one, 2)]).toEqual([2, 2]);
  expect(await facts.load(experimentOf("two"), 2)).toBe(3);
  expect(asked).toEqual(["one", "one", "two"]);

  facts.keepOnly(new Set(["one"]));
  expect(await facts.load(one, 2)).toBe(2);
  expect(await facts.load(experimentOf("two"), 2)).toBe(4);
  facts.keepOnly(new Set(["two"]));
  expect(await facts.load(one, 2)).toBe(5);
});

test("a failed read is repeated at the next look", async () => {
  let isDown = true;
  const facts = createKnownFacts(async () => {
    if (isDown) throw new Error("The database does not answer.");
    return "read";
  });
  await expect(facts.load(experimentOf("one"), 1)).rejects.toThrow();
  isDown = false;
  expect(await facts.load(experimentOf("one"), 1)).toBe("read");
});
