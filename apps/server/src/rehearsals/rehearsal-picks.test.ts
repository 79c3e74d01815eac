import { showPair } from "@assay/domain";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { comparedData, preference, wanted } from "../test-support/judge-completion.ts";
import type { JudgedService } from "../test-support/judged-service.ts";
import {
  openRehearsingService,
  readRehearsal,
  rehearseItems,
  untilState,
  type WireRehearsal,
} from "../test-support/rehearsals.ts";

let world: JudgedService;
beforeAll(async () => {
  world = await openRehearsingService();
});
afterAll(() => world.close());
beforeEach(() => {
  // This judge likes short answers.
  world.judge.always((request) => {
    if (wanted(request) === "preference")
      return { content: preference(comparedData(request).first.startsWith("Short") ? "first" : "second") };
    const asked = request.messages.at(-1)?.content;
    const told = request.messages[0]?.content;
    return { content: request.model === "m-2" ? `Short: ${asked}` : `${told} At length: ${asked}` };
  });
});

const start = (items: number, overrides?: object) => rehearseItems(world.api, items, overrides);

interface WireQueue {
  readonly items: readonly { readonly id: string; readonly first: string; readonly second: string }[];
  readonly picked: number;
  readonly needed: number;
  readonly pairs: number;
}

const readQueue = async (id: string, query = "?limit=50") =>
  (await world.api.call<WireQueue>("GET", `/v1/rehearsals/${id}/picks/queue${query}`)).body;

const pick = (id: string, body: { readonly id: string; readonly best: "first" | "second" | null }) =>
  world.api.call<{ picked: number; best: string | null; detail: string }>(
    ...(["POST", `/v1/rehearsals/${id}/picks`, { body }] as const),
  );

const preferenceRow = ({ report }: WireRehearsal) =>
  report.rows.find(({ metric }) => metric === "preference");

describe("people's picks", () => {
  test("are blind, and from 50 on they correct the judge", async () => {
    const { id } = await untilState(world, await start(80), "done");
    const { items, picked, needed, pairs } = await readQueue(id);
    expect({ picked, needed, pairs, shown: items.length }).toEqual({
      ...{ picked: 0, needed: 50, pairs: 80, shown: 50 },
    });
    expect(items.some(({ first }) => first.startsWith("Short"))).toBe(true);
    expect(items.some(({ second }) => second.startsWith("Short"))).toBe(true);
    expect(JSON.stringify(items)).not.toMatch(/control|treatment|m-1|m-2|patient teacher|user-/);
    const before = preferenceRow(await readRehearsal(world.api, id));
    expect(before).toMatchObject({ effect: 1, picks: 0, is_corrected: false });
    // This person likes long answers better, in four of five pairs.
    for (const [place, item] of items.entries()) {
      const long = item.first.includes("At length") ? "first" : "second";
      const short = long === "first" ? "second" : "first";
      const best = place % 5 === 0 ? short : long;
      expect(await pick(id, { id: item.id, best })).toMatchObject({
        status: 201,
        body: { id: item.id, best, picked: place + 1 },
      });
      if (place === 48)
        expect(preferenceRow(await readRehearsal(world.api, id))).toMatchObject({
          ...{ effect: 1, picks: 49, is_corrected: false },
        });
    }
    const after = await readRehearsal(world.api, id);
    expect(preferenceRow(after)).toMatchObject({ picks: 50, is_corrected: true, inputs: 80 });
    expect(preferenceRow(after)?.effect).toBeCloseTo(-0.6, 1);
    expect(after.report.verdicts).toMatchObject([
      { verdict: "worse", detail: expect.stringContaining("corrected by 50 blind picks") },
    ]);
    expect((await readQueue(id)).items).toHaveLength(30);
  });

  test("of a pair can be changed, and only pairs that were shown can be picked in", async () => {
    const { id } = await untilState(world, await start(60), "done");
    const [first] = (await readQueue(id, "")).items;
    const other = { id: first?.id ?? "", best: null };
    expect((await pick(id, other)).body).toMatchObject({ picked: 1, best: null });
    expect((await pick(id, { ...other, best: "second" })).body).toMatchObject({ picked: 1, best: "second" });
    const { items, picked } = await readQueue(id, "?limit=3");
    expect([items.length, picked]).toEqual([3, 1]);
    expect(items.map((item) => item.id)).not.toContain(other.id);
    expect(await pick(id, { id: "nothing", best: null })).toMatchObject({ status: 400 });
    // The others of the 60: 50 are shown next.
    const shown = new Set((await readQueue(id)).items.map((item) => item.id));
    const control = world.api.openControl();
    try {
      const { body: me } = await world.api.call<{ org_id: string }>("GET", "/v1/whoami");
      const judged = await control.rehearsals.listJudgedPairs(me.org_id, id);
      const pairs = judged.map((pair) => showPair(id, pair));
      const hidden = pairs.filter((pair) => pair.id !== other.id && !shown.has(pair.id));
      expect(hidden).toHaveLength(9);
      expect(await pick(id, { id: hidden[0]?.id ?? "", best: null })).toMatchObject({ status: 400 });
    } finally {
      await control.close();
    }
  });

  test("need a rehearsal that has ended, and whose judge compares", async () => {
    world.judge.always({ latencyMs: 50 });
    const running = await start(50);
    const refused = await world.api.call<{ detail: string }>(
      ...(["GET", `/v1/rehearsals/${running.id}/picks/queue`] as const),
    );
    expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining("is running") } });
    expect(await pick(running.id, { id: "x", best: null })).toMatchObject({ status: 409 });
    await world.api.call("POST", `/v1/rehearsals/${running.id}/stop`);
    expect(await readQueue(running.id)).toMatchObject({ picked: 0, needed: 50 });
    world.judge.always({});
    const judge = { rubric: "Is it right?", mode: "score", scale: "1-5" };
    const scored = await untilState(world, await start(1, { judge }), "done");
    expect(await pick(scored.id, { id: "x", best: null })).toMatchObject({
      ...{ status: 409, body: { detail: expect.stringContaining("mode pairwise") } },
    });
  });

  test("are asked for of no equal answers, nor by another org", async () => {
    world.judge.always((request) => (wanted(request) === "answer" ? { content: "Seven." } : {}));
    const { id } = await untilState(world, await start(3), "done");
    expect(await readQueue(id)).toMatchObject({ items: [], pairs: 0 });
    const token = await world.api.token({ email: "eve@other.org", org: "others" });
    await world.api.call("GET", "/v1/whoami", { token });
    const path = `/v1/rehearsals/${id}/picks`;
    expect((await world.api.call("GET", `${path}/queue`, { token })).status).toBe(404);
    const body = { id: "x", best: null };
    expect((await world.api.call("POST", path, { token, body })).status).toBe(404);
  });
});
