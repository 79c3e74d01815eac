import { dayOf } from "@assay/domain";
import { expect, test } from "vitest";
import { runNights } from "./nightly.ts";

/** Runs nights on a service that answers every day, and returns what was asked and printed, in order. */
async function run(options: { day?: string; from?: string }): Promise<readonly unknown[]> {
  const told: unknown[] = [];
  const call = async (_method: string, _path: string, body: unknown) => {
    told.push(body);
    const { day } = body as { day?: string };
    const runs = day === "2026-03-01" ? [] : [{ day, name: "tone", outcome: "collecting", detail: "few" }];
    return { day, runs };
  };
  await runNights({ call: call as never }, options, (line) => told.push(line));
  return told;
}

test("several nights are asked for one by one, and each is printed once it is done", async () => {
  expect(await run({ from: "2026-02-28", day: "2026-03-02" })).toEqual([
    { day: "2026-02-28" },
    "2026-02-28  tone: collecting (few)",
    { day: "2026-03-01" },
    "2026-03-01: no experiment is running.",
    { day: "2026-03-02" },
    "2026-03-02  tone: collecting (few)",
  ]);
  const yesterday = dayOf(Date.now() - 86_400_000);
  expect((await run({ from: yesterday }))[0]).toEqual({ day: yesterday });
});

test("one night, and days that make no range, are the service's to judge", async () => {
  expect((await run({}))[0]).toEqual({ day: undefined, from_day: undefined });
  expect((await run({ day: "2026-03-02" }))[0]).toEqual({ day: "2026-03-02", from_day: undefined });
  expect((await run({ day: "x", from: "2026-03-01" }))[0]).toEqual({ day: "x", from_day: "2026-03-01" });
  expect((await run({ from: "x" }))[0]).toEqual({ day: undefined, from_day: "x" });
  const backwards = { day: "2026-03-01", from: "2026-03-02" };
  expect((await run(backwards))[0]).toEqual({ day: "2026-03-01", from_day: "2026-03-02" });
});
