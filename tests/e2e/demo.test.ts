import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cleanUp } from "./support/clean-up.ts";
import { benjaminiHochberg, describeSample, type Sample, welch } from "./support/plain-statistics.ts";
import { groupOf } from "./support/process-table.ts";
import { type Program, ROOT, startProgram } from "./support/program.ts";
import { expectOk, send } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

interface Judged {
  readonly event_id: string;
  readonly user_id: string;
  readonly variant: string;
  readonly is_repeat: boolean;
  readonly state: string;
  readonly score: number;
  readonly probability: number;
  readonly label: number | null;
}

interface Row {
  readonly metric: string;
  readonly treatment: string;
  readonly statistic: number;
  readonly p_value: number;
  readonly p_value_fdr: number;
  readonly permutations_used: number;
  readonly control_value: number;
  readonly treatment_value: number;
  readonly effect: number;
  readonly n_per_arm: Readonly<Record<string, number>>;
  readonly judge: {
    readonly calibrated: boolean;
    readonly labels_per_arm: Readonly<Record<string, number>>;
    readonly lambda: Readonly<Record<string, number>>;
    readonly uncalibrated: Pick<Row, "control_value" | "treatment_value" | "effect">;
  } | null;
}

interface Results {
  readonly experiment_id: string;
  readonly srm: { readonly status: string; readonly observed: Readonly<Record<string, number>> };
  readonly results: Readonly<Record<string, Row>>;
}

interface DemoData {
  readonly variants: readonly string[];
  readonly items: readonly (readonly (readonly number[])[])[];
}

/** The first two columns of the data; the third is what the judge said. */
const METRICS = ["answer_characters", "answer_tokens"];
/** The ids that the demo gives its experiments. */
const SUPPORT_TONE = "00000000-0000-7000-8000-000000000011";
const ANSWER_STYLE = "00000000-0000-7000-8000-000000000004";
/** Both demos, on a machine four times slower. */
const FINISH_MS = 240_000;
const PREFERENCE = 2;
const CONTROL = "base";
const TREATMENTS = ["concise", "verbose"];

const data = JSON.parse(
  readFileSync(join(ROOT, "apps/server/src/demo/prompt-variants.json"), "utf8"),
) as DemoData;

let demo: Program;
let api: Api;
let temporary: string;
/** Of answer-style, like what follows. */
let results: Results;
let supportTone: Results;
/** The figures of each arm's users, by `<metric>::<arm>`, from the bundled data and the variants that the service names. */
let samples: ReadonlyMap<string, Sample>;
let judged: readonly Judged[];
/** Who gave the labels. */
let labelers: readonly string[];

beforeAll(async () => {
  temporary = temporaryFolder();
  // Literally the command of the README, on any free port.
  demo = startProgram("npm", ["run", "demo"], { ASSAY_PORT: "0", TMPDIR: temporary });
  await until("the demo stays up", hasFinished, FINISH_MS);
  api = await signIn();
  const all = await api<readonly Results[]>("GET", "/v1/results/summary");
  const resultsOf = (id: string) => all.find(({ experiment_id }) => experiment_id === id)!;
  [supportTone, results] = [resultsOf(SUPPORT_TONE), resultsOf(ANSWER_STYLE)];
  samples = await sampleArms(api, results.experiment_id);
  judged = await listJudged(api, results.experiment_id);
  const { items } = await api<{ items: readonly { labelled_by: { name: string } }[] }>(
    "GET",
    `/v1/experiments/${results.experiment_id}/labels`,
  );
  labelers = items.map((label) => label.labelled_by.name);
});

afterAll(cleanUp);

function hasFinished(): boolean {
  if (demo.hasExited()) throw new Error(`The demo ended:\n${demo.stdout()}\n${demo.stderr()}`);
  return demo.stdout().includes("The service stays up.");
}

type Api = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** Spends the ticket of the printed address as the dashboard does, and returns the API under its session. */
async function signIn(): Promise<Api> {
  const [, url, ticket] = /^Dashboard: {2}(http:\S+)\/sign-in#ticket=(\S+)/m.exec(demo.stdout()) ?? [];
  if (url === undefined) throw new Error(`The demo printed no dashboard address:\n${demo.stdout()}`);
  expect(await expectOk(send<string>(`${url}/sign-in`, "GET"))).toMatch(/<html/i);
  const headers = { origin: url };
  const answer = await send(`${url}/auth/sign-in`, "POST", { body: { ticket }, headers });
  const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return (method, path, body) =>
    expectOk(send(`${url}${path}`, method, { body, headers: { ...headers, cookie } }));
}

/** Asks the service which variant each user has, and collects that variant's figures. */
async function sampleArms(api: Api, experimentId: string): Promise<ReadonlyMap<string, Sample>> {
  const { key } = await api<{ key: string }>("GET", "/v1/keys/publishable/reveal");
  const url = /http:\S+(?=\/docs)/.exec(demo.stdout())?.[0] ?? "";
  const values = new Map<string, number[]>();
  for (const [index, figures] of data.items.entries()) {
    const body = { experiment_id: experimentId, user_id: `user-${String(index).padStart(3, "0")}` };
    const assigned = send<{ variant: string }>(`${url}/v1/assign`, "POST", {
      body,
      headers: { "x-api-key": key },
    });
    const { variant } = await expectOk(assigned);
    const own = figures[data.variants.indexOf(variant)] ?? [];
    for (const [column, value] of own.slice(0, METRICS.length).entries()) {
      const arm = `${METRICS[column]}::${variant}`;
      values.set(arm, [...(values.get(arm) ?? []), value]);
    }
  }
  return new Map([...values].map(([arm, own]) => [arm, describeSample(own)]));
}

/** Reads every judgement of the demo, page by page; second ones of a call left out. */
async function listJudged(api: Api, experimentId: string): Promise<readonly Judged[]> {
  const all: Judged[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/v1/experiments/${experimentId}/judgements?limit=200${page}`;
    const { items, next_cursor } = await api<{ items: Judged[]; next_cursor: string | null }>("GET", path);
    all.push(...items.filter(({ is_repeat }) => !is_repeat));
    cursor = next_cursor;
  }
  return all;
}

function sampleOf(metric: string, arm: string): Sample {
  const sample = samples.get(`${metric}::${arm}`);
  if (!sample) throw new Error(`No user of ${arm} has a figure for ${metric}.`);
  return sample;
}

const comparisons = METRICS.flatMap((metric) => TREATMENTS.map((treatment) => ({ metric, treatment })));

test("it prints its progress in order", () => {
  const steps = [
    /^Starting the service on embedded engines … done \(.* s\)$/,
    ...stepsOf("support-tone", 900),
    /^A second experiment follows/,
    ...stepsOf("answer-style", 805),
    /^API: /,
  ];
  const lines = demo.stdout().split("\n");
  const positions = steps.map((step) => lines.findIndex((line) => step.test(line)));
  expect(positions).not.toContain(-1);
  expect(positions).toEqual([...positions].sort((a, b) => a - b));
});

/** The lines up to the table of a demo. */
function stepsOf(name: string, users: number): readonly RegExp[] {
  return [
    new RegExp(`^Creating the experiment "${name}" … done`),
    new RegExp(`^Sending traffic through the client … ${users} of ${users} users$`),
    new RegExp(`^Experiment "${name}": `),
  ];
}

test("no other line appears between the progress lines", () => {
  const lines = demo.stdout().split("\n");
  const progress = /^(Creating .* done.*|Sending .* users|Running .* done.*|)$/;
  for (const name of ["support-tone", "answer-style"]) {
    const first = lines.findIndex((line) => line.startsWith(`Creating the experiment "${name}"`));
    const end = lines.findIndex((line) => line.startsWith(`Experiment "${name}": `));
    expect(lines.slice(first, end).filter((line) => !progress.test(line))).toEqual([]);
    expect(lines.slice(first, end).filter((line) => line.startsWith("Running"))).toHaveLength(1);
  }
  expect(demo.stderr()).not.toContain('"level"');
});

test("support-tone counts every user once, and its judge's reasons can be read", async () => {
  expect(supportTone.srm.status).toBe("passed");
  expect(Object.values(supportTone.srm.observed).reduce((sum, n) => sum + n, 0)).toBe(900);
  expect(Object.keys(supportTone.results).sort()).toEqual(
    ["answer_quality", "answer_tokens", "cost_per_user", "latency_p95", "resolved"].flatMap((metric) => [
      `${metric}::concise`,
      `${metric}::friendly`,
    ]),
  );
  const { items } = await api<{ items: readonly { reason: string }[] }>(
    "GET",
    `/v1/experiments/${SUPPORT_TONE}/judgements?limit=50`,
  );
  expect(items).toHaveLength(50);
  for (const { reason } of items) expect(reason).toMatch(/^(Complete: it|It) says "/);
});

test("its labels come from simulated readers", () => {
  expect(new Set(labelers)).toEqual(new Set(["simulated-readers@assay.local"]));
});

test("every user is counted once, in the arm that the service names", () => {
  expect(results.srm.status).toBe("passed");
  const users = Object.fromEntries(
    [CONTROL, ...TREATMENTS].map((arm) => [arm, sampleOf("answer_tokens", arm).n]),
  );
  expect(results.srm.observed).toEqual(users);
  expect(Object.values(users).reduce((sum, n) => sum + n, 0)).toBe(805);
});

test.each(comparisons)("$metric of $treatment agrees with the bundled figures", ({ metric, treatment }) => {
  const [control, own] = [sampleOf(metric, CONTROL), sampleOf(metric, treatment)];
  const row = results.results[`${metric}::${treatment}`];
  const close = (value: number) => expect.closeTo(value, 9 - Math.ceil(Math.log10(Math.abs(value))));
  expect(row).toMatchObject({
    control_value: close(control.mean),
    treatment_value: close(own.mean),
    effect: close(own.mean - control.mean),
    n_per_arm: { [CONTROL]: control.n, [treatment]: own.n },
  });
  const test = welch(control, own);
  // One call per user makes the ratio's studentised score the same as Welch's statistic.
  expect(row).toMatchObject({ test: "permutation", statistic: close(test.statistic) });
  // Its p-value comes from permutations: near Welch's, and never below the smallest that their number allows.
  const { p_value = 0, permutations_used = 0 } = row ?? {};
  const expected = Math.max(test.pValue, 1 / (permutations_used + 1));
  const error = Math.sqrt((expected * (1 - expected)) / permutations_used);
  expect(Math.abs(p_value - expected)).toBeLessThan(4 * error + 0.005);
});

describe("the judge's scores", () => {
  const of = (arm: string) => judged.filter(({ variant }) => variant === arm);
  /** The mean of a value per judged call, in which each call represents 1 / probability calls. */
  const mean = (calls: readonly Judged[], value: (call: Judged) => number) => {
    const weight = calls.reduce((sum, { probability }) => sum + 1 / probability, 0);
    return calls.reduce((sum, call) => sum + value(call) / call.probability, 0) / weight;
  };

  test("are those recorded for the answers", () => {
    expect(judged.length).toBeGreaterThan(600);
    for (const { user_id, variant, state, score } of judged) {
      const item = Number(user_id.slice("user-".length));
      expect([state, score]).toEqual([
        "scored",
        data.items[item]?.[data.variants.indexOf(variant)]?.[PREFERENCE],
      ]);
    }
  });

  test.each(TREATMENTS)("give the uncalibrated effect of %s", (treatment) => {
    const row = results.results[`judge_preference::${treatment}`];
    const [control, own] = [CONTROL, treatment].map((arm) => mean(of(arm), ({ score }) => score));
    expect(row?.judge?.uncalibrated.control_value).toBeCloseTo(control!, 9);
    expect(row?.judge?.uncalibrated.treatment_value).toBeCloseTo(own!, 9);
  });

  test.each(TREATMENTS)("are corrected by the labels, for %s", (treatment) => {
    const row = results.results[`judge_preference::${treatment}`]!;
    expect(row).toMatchObject({
      test: "ppi_z",
      judge: { calibrated: true, labels_per_arm: { [CONTROL]: 60, [treatment]: 60 } },
    });
    for (const [arm, value] of [
      [CONTROL, row.control_value],
      [treatment, row.treatment_value],
    ] as const) {
      const lambda = row.judge?.lambda[arm] ?? Number.NaN;
      const labelled = of(arm).filter(({ label }) => label !== null);
      const rest = of(arm).filter(({ label }) => label === null);
      const corrected =
        lambda * mean(rest, ({ score }) => score) +
        mean(labelled, ({ label, score }) => (label ?? 0) - lambda * score);
      expect(value).toBeCloseTo(corrected, 9);
    }
  });
});

test("significance is corrected over all eight rows", () => {
  const rows = Object.values(results.results);
  expect(rows).toHaveLength(8);
  const corrected = benjaminiHochberg(rows.map((row) => row.p_value));
  for (const [index, row] of rows.entries())
    expect(row.p_value_fdr / (corrected[index] ?? 0)).toBeCloseTo(1, 6);
});

/** What it printed from the table of answer-style on. */
const printedLast = () => demo.stdout().split('Experiment "answer-style": ')[1]?.split("\n") ?? [];

/** The printed table of answer-style: cells by metric and variant. */
function printedTable(): ReadonlyMap<string, readonly string[]> {
  const lines = printedLast();
  const first = lines.findIndex((line) => line.startsWith("───")) + 1;
  const cells = new Map<string, readonly string[]>();
  let metric = "";
  for (const line of lines.slice(first, lines.indexOf("", first))) {
    metric = /^\S+/.exec(line)?.[0] ?? metric;
    const own = line.replace(/^\S*\s+/, "").split(/ {2,}/);
    cells.set(`${metric}::${own[0]}`, own);
  }
  return cells;
}

test("the table prints these values", () => {
  const table = printedTable();
  for (const [arm, { mean }] of samples) {
    const value = table.get(arm)?.[1];
    expect(Math.abs(Number(value) / mean - 1), arm).toBeLessThan(0.0051); // Three significant digits.
  }
});

test("the table says in words what is significant and what is not", () => {
  const table = printedTable();
  const verdictOf = (arm: string) => table.get(arm)?.at(-1);
  expect(verdictOf("answer_characters::concise")).toBe("better: significantly lower");
  expect(verdictOf("answer_characters::verbose")).toBe("worse: significantly higher");
});

test("the table says what labels corrected, and what the judge alone would have said", () => {
  const lines = printedLast();
  expect(lines.filter((line) => line.includes("corrected by labels"))).toHaveLength(TREATMENTS.length);
  expect(lines.filter((line) => line.includes("the judge alone"))).toHaveLength(TREATMENTS.length);
});

test("it prints the tables of docs/demo.md, figure by figure", () => {
  const page = readFileSync(join(ROOT, "docs/demo.md"), "utf8");
  const tables = [...page.matchAll(/```\n(metric +variant[\s\S]*?)\n```/g)].map(([, table = ""]) => table);
  expect(tables).toHaveLength(2);
  const positions = tables.map((table) => demo.stdout().indexOf(table));
  expect(positions).not.toContain(-1);
  expect(positions).toEqual([...positions].sort((a, b) => a - b));
});

test("Ctrl+C stops it and leaves neither data nor a process", async () => {
  expect(readdirSync(temporary).filter((name) => name.startsWith("assay-demo-"))).toHaveLength(1);
  expect(groupOf(demo.pid).length).toBeGreaterThanOrEqual(4); // npm, launcher, service, engine
  demo.signalGroup("SIGINT");
  await demo.exited;
  await until("every process is gone", () => groupOf(demo.pid).length === 0);
  expect(demo.stdout()).toContain("Stopping: storing what was accepted");
  expect(readdirSync(temporary).filter((name) => name.startsWith("assay-demo-"))).toEqual([]);
});
