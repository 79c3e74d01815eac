import type { KeyUse } from "@assay/domain";
import { expect, test } from "vitest";
import type { KeyHolder } from "./key-ring.ts";
import { createKeyUses } from "./key-uses.ts";

const holder = (hash: string): KeyHolder => ({
  ...{ orgId: "org", scope: "secret", prefix: "svc_sk_12345", hash },
  allowedOrigins: null,
});
const [one, two] = [holder("one"), holder("two")];

/** Notes over a store that records what it gets, unless it is set to fail. */
function open() {
  const state = { now: 0, kept: [] as (readonly KeyUse[])[], isDown: false };
  const keys = {
    async recordUses(uses: readonly KeyUse[]) {
      if (state.isDown) throw new Error("down");
      state.kept.push(uses);
    },
  };
  return { state, uses: createKeyUses({ control: { keys }, clock: { now: () => state.now } }) };
}

test("keeps each key's last use once, and asks for nothing when no key was used", async () => {
  const { state, uses } = open();
  await uses.flush();
  for (state.now = 1; state.now <= 5; state.now++) uses.note(state.now === 3 ? two : one, state.now === 2);
  await uses.flush();
  await uses.flush();
  expect(state.kept).toEqual([
    [
      { orgId: "org", scope: "secret", hash: "one", usedAt: 5, browserUseAt: 2 },
      { orgId: "org", scope: "secret", hash: "two", usedAt: 3, browserUseAt: null },
    ],
  ]);
});

test("keeps later what could not be kept, unless the key was used again", async () => {
  const { state, uses } = open();
  uses.note(one, true);
  uses.note(two, true);
  state.isDown = true;
  await expect(uses.flush()).rejects.toThrow("down");
  state.now = 7;
  uses.note(two, false);
  const failing = uses.flush();
  state.now = 9;
  uses.note(two, true);
  await expect(failing).rejects.toThrow("down");
  state.isDown = false;
  await uses.flush();
  expect(state.kept).toHaveLength(1);
  expect(
    new Map(state.kept[0]?.map(({ hash, usedAt, browserUseAt }) => [hash, [usedAt, browserUseAt]])),
  ).toEqual(
    new Map([
      ["one", [0, 0]],
      ["two", [9, 9]],
    ]),
  );
});

test("keeps many keys in several writes, each key once", async () => {
  const { state, uses } = open();
  const holders = Array.from({ length: 120 }, (_, i) => holder(`key-${i}`));
  for (const one of holders) uses.note(one, false);
  await uses.flush();
  expect(state.kept.map(({ length }) => length)).toEqual([50, 50, 20]);
  expect(new Set(state.kept.flat().map(({ hash }) => hash)).size).toBe(120);
});
