import { setImmediate as nextPass } from "node:timers/promises";
import { expect, test } from "vitest";
import { nextTurn } from "./next-turn.ts";

/** Counts turns taken by works, each of which needs several. */
function startWorks(works: number, turnsEach: number) {
  const taken: number[] = [];
  const work = async (name: number) => {
    for (let turn = 0; turn < turnsEach; turn++) {
      await nextTurn();
      taken.push(name);
    }
  };
  return { taken, done: Promise.all(Array.from({ length: works }, (_, name) => work(name))) };
}

test("each pass of the event loop gives one turn, however many works wait", async () => {
  const { taken, done } = startWorks(5, 3);
  const perPass: number[] = [];
  for (let before = 0; taken.length < 15; before = taken.length) {
    await nextPass();
    perPass.push(taken.length - before);
  }
  await done;
  expect(Math.max(...perPass)).toBe(1);
});

test("works take turns in the order in which they asked", async () => {
  const { taken, done } = startWorks(3, 2);
  await done;
  expect(taken).toEqual([0, 1, 2, 0, 1, 2]);
});

test("a work that comes after a pause gets its turn", async () => {
  await startWorks(1, 1).done;
  await nextPass();
  const { taken, done } = startWorks(1, 1);
  await done;
  expect(taken).toEqual([0]);
});
