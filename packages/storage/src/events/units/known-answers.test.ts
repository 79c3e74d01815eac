import { expect, test } from "vitest";
import type { EventEngine, TablePart } from "../engine/event-engine.ts";
import { whilePartsStay } from "./known-answers.ts";

const part = (name: string, fields: Partial<TablePart> = {}): TablePart => ({
  ...{ table: "day_folds", node: "one", partition: "all", name, hash: name, rows: 1 },
  ...fields,
});

/** Asks with the parts of the moment; the answers are 1, 2, 3 … */
function asking(isOneNode = true) {
  const engine = { isOneNode } as EventEngine;
  let asked = 0;
  return (parts: readonly TablePart[], orgId = "org") =>
    whilePartsStay(engine, { table: "day_folds", orgId, parts }, async () => ++asked);
}

test("is asked again only once the table has other parts", async () => {
  const ask = asking();
  expect(await ask([])).toBe(1);
  expect(await ask([part("a", { table: "analysis" })])).toBe(1);
  expect(await ask([part("a")])).toBe(2);
  expect(await ask([part("b"), part("a")])).toBe(3);
  expect(await ask([part("a"), part("b"), part("c", { table: "raw_events" })])).toBe(3);
  expect(await ask([part("a"), part("b", { hash: "of other rows" })])).toBe(4);
  expect(await ask([part("a"), part("b", { node: "two" })])).toBe(5);
});

test("is of each org by itself, and of the orgs that asked last", async () => {
  const ask = asking();
  expect(await ask([], "one")).toBe(1);
  expect(await ask([], "two")).toBe(2);
  expect(await ask([], "one")).toBe(1);
  for (let i = 0; i < 15; i++) await ask([], `org ${i}`);
  expect(await ask([], "one")).toBe(1);
  expect(await ask([], "two")).toBe(18);
});

test("of a cluster is always asked", async () => {
  const ask = asking(false);
  expect(await ask([])).toBe(1);
  expect(await ask([])).toBe(2);
});

test("that fails is asked again", async () => {
  const engine = { isOneNode: true } as EventEngine;
  const question = { table: "day_folds", orgId: "org", parts: [] } as const;
  await expect(whilePartsStay(engine, question, () => Promise.reject(new Error("gone")))).rejects.toThrow(
    "gone",
  );
  expect(await whilePartsStay(engine, question, async () => "back")).toBe("back");
});
