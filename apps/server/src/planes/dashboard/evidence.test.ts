import { addDays, dayOf, startOfDay, toInstant } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  metricBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const DAY = addDays(dayOf(Date.now()), -2);
const USERS = 250;
const ARMS = ["control", "treatment"] as const;
let api: TestService;
let key: string;
let experiment: WireExperiment;
beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("secret");
  const metrics = [metricBody("spent"), metricBody("bought", { kind: "binary" })];
  const body = experimentBody("evidence", { metrics });
  experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
  await send(ARMS.flatMap((arm) => Array.from({ length: USERS }, (_, i) => ({ arm, name: `${arm}-${i}` }))));
  await api.call("POST", "/v1/admin/pipeline-runs", { body: { day: DAY } });
});
afterAll(() => api.stop());

async function send(people: readonly { readonly arm: string; readonly name: string }[]): Promise<void> {
  const events = people.flatMap(({ arm, name }, i) => {
    const timestamp = toInstant(startOfDay(DAY) + 1_000 * i);
    const of = { experiment_id: experiment.id, user_id: name, variant: arm, timestamp };
    const spent = { type: "business_event", business_metric: "spent", value: 10 + (i % 7) };
    const bought = { type: "business_event", business_metric: "bought", value: i % 3 === 0 ? 1 : 0 };
    return [
      { ...of, event_id: `${name}-e`, type: "exposure" },
      { ...of, event_id: `${name}-s`, ...spent },
      { ...of, event_id: `${name}-b`, ...bought },
    ];
  });
  for (let from = 0; from < events.length; from += 1_000) {
    const body = { events: events.slice(from, from + 1_000) };
    const sent = await api.call<{ accepted: number }>("POST", "/v1/events", { key, body });
    expect(sent.body.accepted).toBe(body.events.length);
  }
}

const address = (query: string, day: string = DAY) =>
  `/v1/experiments/${experiment.id}/results/${day}/evidence?${query}`;
const SPENT = "metric=spent&treatment=treatment";

interface Head {
  readonly revision: number;
  readonly row: object;
  readonly recomputed: { readonly n_per_arm: object } | null;
  readonly note: string | null;
}

async function read(query: string) {
  const { status, headers, body } = await api.call<string>("GET", address(query));
  expect(status).toBe(200);
  const [head = "", columns = "", ...lines] = body.trimEnd().split("\r\n");
  return {
    headers,
    head: JSON.parse(head.slice(2)) as Head,
    columns,
    lines: lines.map((line) => line.split(",")),
  };
}

describe("the evidence of a row", () => {
  test("is a line per user under a hash, with the numbers that the run stored", async () => {
    const { headers, head, columns, lines } = await read(SPENT);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toBe(`attachment; filename="spent_treatment_${DAY}.csv"`);
    expect(columns).toBe("user,arm,period,stratum,y,d,pre_y,pre_d");
    expect(lines).toHaveLength(2 * USERS);
    expect(new Set(lines.map(([user]) => user)).size).toBe(2 * USERS);
    expect(lines.every(([user]) => /^[0-9a-f]{20}$/.test(user ?? ""))).toBe(true);
    const results = await api.call<{ results: Record<string, Record<string, unknown>> }>(
      "GET",
      `/v1/experiments/${experiment.id}/results?day=${DAY}`,
    );
    expect(results.body.results["spent::treatment"]).toMatchObject(head.row);
    expect(head).toMatchObject({
      format: "assay-evidence-1",
      recomputed: null,
      note: null,
      is_complete: true,
    });
    // Another metric's file has the same users under the same hashes.
    const other = await read("metric=bought&treatment=treatment");
    const usersOf = (file: typeof other) => file.lines.map(([user, arm]) => `${arm} ${user}`).sort();
    expect(usersOf(other)).toEqual(usersOf({ ...other, lines }));
    expect(other.lines.filter(([, , , , y]) => y === "1")).toHaveLength(167);
  });

  test("can be had as Parquet; the script needs no row", async () => {
    const url = `${api.service.url}${address(`${SPENT}&format=parquet`)}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${await api.token()}` } });
    expect(answer.headers.get("content-type")).toBe("application/vnd.apache.parquet");
    const bytes = Buffer.from(await answer.arrayBuffer()).toString("latin1");
    expect([bytes.slice(0, 4), bytes.slice(-4)]).toEqual(["PAR1", "PAR1"]);
    const script = await api.call<string>("GET", address(`${SPENT}&format=python`, "2020-01-01"));
    expect(script.headers.get("content-type")).toBe("text/x-python; charset=utf-8");
    expect(script.body).toContain('"""Recomputes one row of an Assay run');
  });

  test.each([
    {
      what: "an unknown metric",
      query: "metric=none&treatment=treatment",
      slug: "row-not-found",
      status: 404,
    },
    { what: "control", query: "metric=spent&treatment=control", slug: "row-not-found", status: 404 },
    { what: "an unknown revision", query: `${SPENT}&revision=7`, slug: "run-not-found", status: 404 },
    { what: "an unknown day", query: SPENT, day: "2020-01-01", slug: "run-not-found", status: 404 },
    { what: "an unknown format", query: `${SPENT}&format=xml`, slug: "invalid-query", status: 400 },
    { what: "no metric", query: "treatment=treatment", slug: "invalid-query", status: 400 },
  ])("of $what is refused: $slug", async ({ query, day, slug, status }) => {
    const answer = await api.call<WireProblem>("GET", address(query, day));
    expect([answer.status, slugOf(answer.body)]).toEqual([status, slug]);
  });

  test("is not for another org, and the audit lists what was downloaded", async () => {
    const token = await api.token({ org: "strangers", email: "stranger@example.org" });
    expect((await api.call<WireProblem>("GET", address(SPENT), { token })).status).toBe(404);
    await read(SPENT);
    const audit = await api.call<{ items: readonly object[] }>("GET", "/v1/audit?limit=1");
    expect(audit.body.items).toMatchObject([
      {
        action: "experiment.download-evidence",
        target_id: experiment.id,
        summary: `Downloaded what spent of treatment was computed from: ${DAY}, revision 1.`,
      },
    ]);
  });

  test("keeps to the exclusions of its run, and says when the data changed since", async () => {
    const match = { user_ids: ["control-0", "control-1"] };
    const exclusion = { reason: "Bots.", match };
    const path = `/v1/experiments/${experiment.id}/exclusions`;
    expect((await api.call("POST", path, { body: exclusion })).status).toBe(201);
    expect((await read(SPENT)).head).toMatchObject({ recomputed: null });
    await api.call("POST", `/v1/experiments/${experiment.id}/runs`, { body: { day: DAY } });
    const again = await read(SPENT);
    expect(again.head).toMatchObject({ revision: 2, recomputed: null });
    expect(again.lines).toHaveLength(2 * USERS - 2);
    const first = await read(`${SPENT}&revision=1`);
    expect(first.head).toMatchObject({ revision: 1, recomputed: null });
    expect(first.lines).toHaveLength(2 * USERS);

    await send(ARMS.map((arm) => ({ arm, name: `late-${arm}` })));
    await expect
      .poll(async () => (await read(`${SPENT}&revision=1`)).head, { interval: 2_000 })
      .toMatchObject({
        row: { n_per_arm: { control: USERS, treatment: USERS } },
        recomputed: { n_per_arm: { control: USERS + 1, treatment: USERS + 1 } },
        note: expect.stringContaining("events arrived later"),
      });
  });
});

test("the evidence of a row of which too little is left is gone", async () => {
  const people = ARMS.flatMap((arm) =>
    Array.from({ length: 2 }, (_, i) => ({ arm, name: `few-${arm}-${i}` })),
  );
  const body = experimentBody("few", { metrics: [metricBody("spent")] });
  experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
  await send(people);
  const run = await api.call<{ computed_for: string; results: object }>(
    "POST",
    `/v1/experiments/${experiment.id}/analyze`,
  );
  expect(Object.keys(run.body.results)).toEqual(["spent::treatment"]);
  for (const { name } of people.slice(0, 1))
    expect((await api.call("DELETE", `/v1/users/${name}`)).status).toBe(202);
  const ask = () => api.call<WireProblem>("GET", address(SPENT, run.body.computed_for));
  await expect.poll(async () => (await ask()).status, { interval: 2_500 }).toBe(410);
  expect(slugOf((await ask()).body)).toBe("evidence-gone");
});
