import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseSettings } from "../../apps/server/src/settings.ts";
import {
  experimentBody,
  metricBody,
  type WireExperiment,
} from "../../apps/server/src/test-support/experiments.ts";
import { judgeCalls } from "../../apps/server/src/test-support/judge-calls.ts";
import { openTestService, type TestService } from "../../apps/server/src/test-support/test-service.ts";
import { findPythons } from "../../scripts/find-pythons.ts";
import { installVenv } from "../../scripts/python-venv.ts";
import { seededRandom } from "./support/seeded-random.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const OF_SCRIPT = join(ROOT, "apps/server/src/evidence");
/** What the pinned wheels of the script need. */
const FIRST_MINOR = 11;
const python = findPythons().findLast(({ minor }) => minor >= FIRST_MINOR);
if (python === undefined) console.warn("SKIPPED: check_row.py needs CPython 3.11 or later with venv.");

const DAY_MS = 86_400_000;
const LABELS = 60;
let api: TestService;
let key: string;
let programs: string;
const folder = mkdtempSync(join(tmpdir(), "assay-evidence-"));

beforeAll(async () => {
  api = await openTestService({ rateLimits: { ...parseSettings({}).rateLimits, analysesPerMinute: 10_000 } });
  key = await api.newKey("secret");
  if (python === undefined) return;
  programs = await installVenv({
    python: python.path,
    requirements: join(OF_SCRIPT, "requirements-test.txt"),
    folder: join(ROOT, `.cache/check-row-${python.version}`),
  });
});
afterAll(async () => {
  await api.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Head {
  readonly row: { readonly test: string; readonly cuped: object | null; readonly effect: number };
  readonly recomputed: { readonly effect: number } | null;
  readonly note: string | null;
  readonly is_complete: boolean;
  readonly sums: readonly { readonly stratum: number }[];
}
interface Results {
  readonly computed_for: string;
  readonly results: Readonly<Record<string, { readonly metric: string; readonly test: string }>>;
}

const call = (field: string) => ({ source: { event: "model_call", field } });
const outcome = (business_metric: string) => ({ source: { event: "business_event", business_metric } });
const judged = { category: "quality", judge: { rubric: "Is it right?" } };
/** Every method on every kind that takes it. `spend` and `cost_usd` have values from before the first exposure. */
const METRICS = [
  metricBody("share", { kind: "binary", ...outcome("conv") }),
  metricBody("share-permuted", { kind: "binary", ...outcome("conv"), method: "permutation" }),
  metricBody("rare", { kind: "binary", ...outcome("rare") }),
  metricBody("spend", { ...outcome("spend") }),
  metricBody("spend-t", { ...outcome("spend"), method: "welch_t" }),
  metricBody("tips", { ...outcome("tips"), cap: "p99.9", window_days: 0.5 }),
  metricBody("tips-t", { ...outcome("tips"), method: "welch_t" }),
  metricBody("tips-boot", { ...outcome("tips"), method: "cluster_bootstrap" }),
  metricBody("stars", { kind: "ordinal", ...outcome("stars") }),
  metricBody("cost", { kind: "ratio", category: "cost", ...call("cost_usd") }),
  metricBody("cost-delta", { kind: "ratio", category: "cost", ...call("cost_usd"), method: "ratio_delta" }),
  metricBody("wait", { kind: "ratio", category: "latency", ...call("latency_ms") }),
  metricBody("wait-delta", {
    kind: "ratio",
    category: "latency",
    ...call("latency_ms"),
    method: "ratio_delta",
  }),
  metricBody("wait-boot", {
    kind: "ratio",
    category: "latency",
    ...call("latency_ms"),
    method: "cluster_bootstrap",
  }),
  metricBody("p90", { kind: "quantile", category: "latency", ...call("latency_ms"), quantile: 0.9 }),
  metricBody("p50", {
    kind: "quantile",
    category: "latency",
    ...call("latency_ms"),
    quantile: 0.5,
    method: "cluster_bootstrap",
  }),
  metricBody("right", { kind: "ratio", ...judged }),
  metricBody("right-by-user", { ...judged }),
  metricBody("opinion", { kind: "ratio", ...judged }),
  metricBody("never-wrong", { kind: "binary", ...judged }),
  metricBody("typical-score", { kind: "ordinal", ...judged }),
];
const LABELLED = ["right", "right-by-user"];
const JUDGED = [...LABELLED, "opinion", "never-wrong", "typical-score"];

interface Person {
  readonly user: string;
  readonly variant: string;
  readonly at: number;
}

const random = seededRandom(7);
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** A user's events; values before and after correlate. */
function eventsOf({ user, variant, at }: Person, id: string) {
  const lift = variant === "treatment" ? 1 : 0;
  const level = normal();
  const of = { experiment_id: id, user_id: user };
  const shown = { ...of, variant, timestamp: new Date(at).toISOString() };
  const before = { ...of, timestamp: new Date(at - DAY_MS).toISOString() };
  const business = (business_metric: string, value: number) => ({
    type: "business_event",
    business_metric,
    value,
  });
  const calls = Array.from({ length: 1 + Math.floor(4 * random()) }, (_, i) => ({
    ...{ ...shown, event_id: `${user}-call-${i}`, type: "model_call" },
    latency_ms: Math.exp(5 + level / 2 + normal() / 2 + lift / 20),
    cost_usd: Math.exp(-4 + level / 2 + normal() / 4 - lift / 20),
  }));
  const business_events = [
    business("spend", 10 + 3 * level + normal() + lift / 4),
    business("tips", Math.exp(normal() + lift / 10)),
    business("stars", 1 + Math.floor(5 * random())),
    ...(random() < 0.3 + lift / 20 ? [business("conv", 1)] : []),
    ...(random() < 0.01 ? [business("rare", 1)] : []),
  ];
  return [
    { ...shown, event_id: `${user}-exposure`, type: "exposure" },
    ...calls,
    ...business_events.map((event, i) => ({ ...shown, event_id: `${user}-b-${i}`, ...event })),
    // Every third user is new.
    ...(random() < 0.67
      ? [
          { ...before, event_id: `${user}-before`, ...business("spend", 10 + 3 * level + normal()) },
          {
            ...{ ...before, event_id: `${user}-before-call`, type: "model_call" },
            cost_usd: Math.exp(-4 + level / 2 + normal() / 4),
          },
        ]
      : []),
  ];
}

async function send(people: readonly Person[], id: string): Promise<void> {
  const events = people.flatMap((person) => eventsOf(person, id));
  for (let from = 0; from < events.length; from += 1_000) {
    const body = { events: events.slice(from, from + 1_000) };
    const { accepted } = (await api.call<{ accepted: number }>("POST", "/v1/events", { key, body })).body;
    expect(accepted).toBe(body.events.length);
  }
}

const peopleOf = (name: string, counts: Readonly<Record<string, number>>, at: number): Person[] =>
  Object.entries(counts).flatMap(([variant, count]) =>
    Array.from({ length: count }, (_, i) => ({ user: `${name}-${variant}-${i}`, variant, at: at + i })),
  );

/** The first call of everybody is judged; people label the first in each arm. */
async function judge(people: readonly Person[], experimentId: string): Promise<void> {
  for (const metric of JUDGED) {
    const calls = people.map(({ user, variant, at }, i) => ({
      eventId: `${user}-call-0`,
      ...{ userId: user, arm: variant, occurredAt: at, order: i },
      score: random() < (variant === "treatment" ? 0.85 : 0.8) ? 1 : 0,
    }));
    await judgeCalls(api, { experimentId, metric }, calls);
    if (!LABELLED.includes(metric)) continue;
    for (const arm of ["control", "treatment"]) {
      for (const { eventId, score } of calls.filter((one) => one.arm === arm).slice(0, LABELS)) {
        const body = { metric, event_id: eventId, score: random() < 0.9 ? score : 1 - score };
        const path = `/v1/experiments/${experimentId}/labels`;
        expect((await api.call("POST", path, { body })).status).toBe(201);
      }
    }
  }
}

const create = async (name: string, metrics: readonly object[]) =>
  (await api.call<WireExperiment>("POST", "/v1/experiments", { body: experimentBody(name, { metrics }) }))
    .body;
const analyze = async (id: string) => (await api.call<Results>("POST", `/v1/experiments/${id}/analyze`)).body;
const address = (id: string, day: string, metric: string, more = "") =>
  `/v1/experiments/${id}/results/${day}/evidence?metric=${metric}&treatment=treatment${more}`;

async function download(id: string, day: string, metric: string, format: "csv" | "parquet" = "csv") {
  const url = `${api.service.url}${address(id, day, metric, `&format=${format}`)}`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${await api.token()}` } });
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(answer.status, bytes.toString("utf8", 0, 500)).toBe(200);
  const path = join(folder, `${id}-${metric}.${format}`);
  writeFileSync(path, bytes);
  return path;
}

const headOf = (csv: string): Head => JSON.parse(csv.slice(2, csv.indexOf("\r\n")));

interface Run {
  readonly code: number | null;
  readonly printed: string;
}

/** The whole script, as a reader of the evidence runs it. */
const run = (paths: readonly string[]) => runPython([join(OF_SCRIPT, "check_row.py"), ...paths]);

/** The same with a tenth of its random draws, and so with wider bounds of chance. */
const QUICK = `import sys
sys.path.insert(0, ${JSON.stringify(OF_SCRIPT)})
import check_row
check_row.WORK = 2e7
sys.exit(max(map(check_row.check, sys.argv[1:])))`;
const runQuickly = (paths: readonly string[]) => runPython(["-B", "-c", QUICK, ...paths]);

function runPython(args: readonly string[]): Promise<Run> {
  return new Promise((done) => {
    const child = spawn(join(programs, "python"), args);
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (part) => {
        printed += String(part);
      });
    child.on("close", (code) => done({ code, printed }));
  });
}

async function expectAgreement(paths: readonly string[], by = run): Promise<string> {
  const { code, printed } = await by(paths);
  expect(code, printed).toBe(0);
  expect(printed.split("The numbers agree.")).toHaveLength(paths.length + 1);
  return printed;
}

describe.skipIf(python === undefined)("the script recomputes every row", () => {
  test("for every method, with and without CUPED", async () => {
    const { id } = await create("one-period", METRICS);
    const people = peopleOf("one", { control: 420, treatment: 400 }, Date.now() - 3 * DAY_MS);
    await send(people, id);
    await judge(people, id);
    const { computed_for: day, results } = await analyze(id);
    expect(Object.values(results).map(({ metric }) => metric)).toEqual(METRICS.map(({ name }) => name));
    const tested = new Set<string>();
    const paths: string[] = [];
    for (const { metric } of Object.values(results)) {
      const path = await download(id, day, metric);
      const head = headOf(readFileSync(path, "utf8"));
      expect(head).toMatchObject({ recomputed: null, note: null, is_complete: true });
      tested.add(`${head.row.test}${head.row.cuped === null ? "" : " with CUPED"}`);
      paths.push(path);
    }
    await expectAgreement(paths);
    expect([...tested].sort()).toEqual([
      "cluster_bootstrap",
      "cluster_quantile",
      "fisher_exact",
      "mann_whitney_u",
      "permutation",
      "permutation with CUPED",
      "ppi_z",
      "ratio_delta",
      "ratio_delta with CUPED",
      "two_proportion_z",
      "welch_t",
      "welch_t with CUPED",
    ]);
    // The Parquet files have the same: the random draws of the script are always the same.
    const some = paths.filter((path) => /-(cost|p90|right)\.csv$/.test(path));
    for (const metric of ["cost", "p90", "right"]) await download(id, day, metric, "parquet");
    const inParquet = await expectAgreement(
      some.map((path) => path.replace(/csv$/, "parquet")),
      runQuickly,
    );
    expect(inParquet).toBe(await expectAgreement(some, runQuickly));
    // Above the plan's cap a closed form comes from sums over all users, and the lines are a sample.
    const sampled = paths.filter((path) => /-(share|tips-t|wait-delta)\.csv$/.test(path));
    for (const path of sampled) {
      const lines = readFileSync(path, "utf8").split("\r\n");
      const head = lines[0]!.replace('"is_complete":true', '"is_complete":false');
      writeFileSync(path, [head, ...lines.slice(1).filter((_, i) => i % 2 === 0)].join("\r\n"));
    }
    expect(await expectAgreement(sampled)).toContain("a sample of the users");
  });

  test("over two periods with different shares", async () => {
    const { id, version } = await create("two-periods", METRICS);
    const first = peopleOf("first", { control: 300, treatment: 300 }, Date.now() - 3 * DAY_MS);
    await send(first, id);
    const allocation = [
      { variant: "control", weight: 4 },
      { variant: "treatment", weight: 1 },
    ];
    const headers = { "if-match": `"${version}"` };
    const changed = await api.call("PUT", `/v1/experiments/${id}`, { body: { allocation }, headers });
    expect(changed.status).toBe(200);
    const second = peopleOf("second", { control: 400, treatment: 100 }, Date.now() - 1_000 + 1_000);
    await send(second, id);
    await judge([...first, ...second], id);
    const { computed_for: day, results } = await analyze(id);
    expect(Object.keys(results)).toHaveLength(METRICS.length);
    const paths: string[] = [];
    for (const { metric } of Object.values(results)) {
      const path = await download(id, day, metric);
      const { sums } = headOf(readFileSync(path, "utf8"));
      // Only users of the first period have a window of half a day behind them.
      const strata = metric === "tips" ? 1 : 2;
      expect(new Set(sums.map(({ stratum }) => stratum)).size).toBe(strata);
      paths.push(path);
    }
    // The methods are those of one period, which the whole script has computed again.
    await expectAgreement(paths, runQuickly);
  });

  test("for few users, and for a metric with one value per arm", async () => {
    const metrics = [
      metricBody("tips", { kind: "ordinal" }),
      metricBody("p50", { kind: "quantile", category: "latency", ...call("latency_ms"), quantile: 0.5 }),
      metricBody("same", { ...outcome("same") }),
      metricBody("spend", { ...outcome("spend") }),
    ];
    const { id } = await create("few", metrics);
    const people = peopleOf("few", { control: 24, treatment: 22 }, Date.now() - 3 * DAY_MS);
    await send(people, id);
    const same = people.map(({ user, variant, at }) => ({
      ...{ experiment_id: id, user_id: user, variant, timestamp: new Date(at).toISOString() },
      ...{ event_id: `${user}-same`, type: "business_event", business_metric: "same" },
      value: variant === "treatment" ? 2 : 1,
    }));
    await api.call("POST", "/v1/events", { key, body: { events: same } });
    const { computed_for: day, results } = await analyze(id);
    expect(Object.keys(results)).toHaveLength(metrics.length);
    const paths: string[] = [];
    for (const { metric } of Object.values(results)) paths.push(await download(id, day, metric));
    await expectAgreement(paths);
  });

  test("and reports numbers that do not match the users", async () => {
    const { id } = await create("forged", METRICS.slice(0, 4));
    await send(peopleOf("forged", { control: 200, treatment: 200 }, Date.now() - DAY_MS), id);
    const { computed_for: day } = await analyze(id);
    for (const metric of ["share", "spend"]) {
      const path = await download(id, day, metric);
      const lines = readFileSync(path, "utf8").split("\r\n");
      writeFileSync(path, lines.filter((_, i) => i !== 40).join("\r\n"));
      const { code, printed } = await run([path]);
      expect({ code, printed }).toEqual({ code: 1, printed: expect.stringContaining("DIFFERENT: effect") });
    }
    const nothing = await run([join(folder, "absent.csv")]);
    expect(nothing).toMatchObject({ code: 2, printed: expect.stringContaining("absent.csv") });
  });
});
