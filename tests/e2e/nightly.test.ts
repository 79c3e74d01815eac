import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanUp } from "./support/clean-up.ts";
import { expectOneLine } from "./support/expect-one-line.ts";
import {
  type Access,
  createExperiment,
  type Event,
  experimentBody,
  makeEvent,
  openAccess,
  postEvents,
} from "./support/experiment.ts";
import { runCli } from "./support/program.ts";
import { type Answer, expectOk, type Problem, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

interface Results {
  readonly computed_for: string;
  readonly available_days: readonly string[];
  readonly preliminary: boolean;
  readonly computed_at: string;
  readonly window: { readonly to: string };
  readonly srm: { readonly status: string; readonly p_value: number; readonly observed: object };
  readonly results: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const DAY_MS = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

let service: RunningService;
let access: Access;

beforeAll(async () => {
  service = await startService(temporaryFolder());
  access = await openAccess(service);
});

afterAll(cleanUp);

/** Runs the command line against the running service. */
const assay = (...args: readonly string[]) =>
  runCli(args, { ASSAY_DATA_DIR: service.dataDir, ASSAY_PORT: service.port });

/** Runs `nightly --day` and returns the line about one experiment. */
async function nightly(day: string, name: string): Promise<string> {
  const { code, stdout, stderr } = await assay("nightly", "--day", day);
  expect([code, stderr]).toEqual([0, ""]);
  const line = stdout.split("\n").find((text) => text.startsWith(`${day}  ${name}: `));
  return line?.slice(`${day}  ${name}: `.length) ?? `no line about ${name} in: ${stdout}`;
}

const getResults = (id: string, day?: string): Promise<Answer<Results & Problem>> =>
  service.send("GET", `/v1/experiments/${id}/results${day === undefined ? "" : `?day=${day}`}`, {
    headers: access.session,
  });
const readResults = (id: string, day?: string): Promise<Results> => expectOk(getResults(id, day));

interface Arms {
  /** Users per arm, and how many of them buy. */
  readonly control: readonly [users: number, buyers: number];
  readonly treatment: readonly [users: number, buyers: number];
  /** When: epoch milliseconds. */
  readonly at: number;
}

/** Sends one exposure per user and one purchase per buyer a millisecond later. */
async function sendTraffic(experimentId: string, { control, treatment, at }: Arms): Promise<void> {
  const arms = Object.entries({ control, treatment });
  const events = arms.flatMap(([variant, [users, buyers]]) =>
    Array.from({ length: users }, (_, index): Event[] => {
      const about = { user_id: `${variant}-${index}`, variant };
      const exposure = makeEvent(experimentId, { type: "exposure", ...about, timestamp: instant(at) });
      if (index >= buyers) return [exposure];
      const bought = { business_metric: "bought", value: 1, timestamp: instant(at + 1) };
      return [exposure, makeEvent(experimentId, { type: "business_event", ...about, ...bought })];
    }).flat(),
  );
  await postEvents(service, access, events);
}

const instant = (ms: number) => new Date(ms).toISOString();

/** A moment ago, and still today. */
function earlierToday(): number {
  const now = Date.now();
  return Math.max(now - 60_000, now - (now % DAY_MS));
}

test("a nightly run of today computes the row; running it again includes newer events", async () => {
  const id = await createExperiment(service, access, "today");
  const at = earlierToday();
  const today = dayOf(at);
  await sendTraffic(id, { control: [250, 50], treatment: [250, 100], at });
  expect(await nightly(today, "today")).toBe("computed");
  const first = await readResults(id);
  expect(first).toMatchObject({ computed_for: today, preliminary: false, available_days: [today] });
  expect(first.srm).toMatchObject({ status: "passed", observed: { control: 250, treatment: 250 } });
  expect(Object.keys(first.results)).toEqual(["bought::treatment"]);
  expect(first.results["bought::treatment"]).toMatchObject({
    control_value: 0.2,
    treatment_value: 0.4,
    effect: expect.closeTo(0.2, 12),
    n_per_arm: { control: 250, treatment: 250 },
    significant: true,
    verdict: "better",
  });

  const late = { type: "business_event", business_metric: "bought", value: 1 } as const;
  await postEvents(service, access, [
    makeEvent(id, { ...late, user_id: "control-249", variant: "control", timestamp: instant(at + 2) }),
  ]);
  expect(await nightly(today, "today")).toBe("computed");
  const second = await readResults(id);
  expect(second.available_days).toEqual([today]);
  expect(Date.parse(second.window.to)).toBeGreaterThan(Date.parse(first.window.to));
  expect(second.results["bought::treatment"]?.control_value).toBeCloseTo(51 / 250, 12);
});

test("a whole day is computed once and never changes, whatever arrives later", async () => {
  const id = await createExperiment(service, access, "yesterday");
  const at = Date.now() - DAY_MS;
  const day = dayOf(at);
  await sendTraffic(id, { control: [220, 44], treatment: [220, 66], at });
  expect(await nightly(day, "yesterday")).toBe("computed");
  const first = await readResults(id, day);
  expect(first.window.to).toBe(`${dayOf(at + DAY_MS)}T00:00:00.000Z`);
  await sendTraffic(id, { control: [220, 220], treatment: [220, 0], at });
  expect(await nightly(day, "yesterday")).toBe("already-done (computed)");
  expect(await readResults(id, day)).toEqual(first);
});

test("a broken traffic split is withheld: 200 with the gate and no results", async () => {
  const id = await createExperiment(service, access, "broken-split");
  const at = earlierToday();
  await sendTraffic(id, { control: [300, 150], treatment: [150, 150], at });
  expect(await nightly(dayOf(at), "broken-split")).toMatch(/^withheld \(The traffic split differs/);
  const results = await readResults(id);
  expect(results.srm).toMatchObject({ status: "halted", observed: { control: 300, treatment: 150 } });
  expect(results.srm.p_value).toBeLessThan(0.001);
  expect(results.results).toEqual({});
});

test("a collecting experiment has no results yet: 404 results-not-ready", async () => {
  const id = await createExperiment(service, access, "collecting");
  const at = earlierToday();
  await sendTraffic(id, { control: [199, 20], treatment: [250, 30], at });
  expect(await nightly(dayOf(at), "collecting")).toMatch(/^collecting \(bought is collecting: control 199 /);
  const { status, headers, body } = await getResults(id);
  expect([status, headers.get("content-type")]).toEqual([404, "application/problem+json; charset=utf-8"]);
  expect(body.type).toBe("https://assay.dev/problems/results-not-ready");
});

test("a manual run does not replace the nightly one, and is the default view until a later night", async () => {
  const id = await createExperiment(service, access, "manual");
  const at = earlierToday();
  const today = dayOf(at);
  await sendTraffic(id, { control: [230, 23], treatment: [230, 46], at });
  expect(await nightly(today, "manual")).toBe("computed");
  const nightlyRun = await readResults(id);

  const printed = await assay("analyze", "manual");
  expect([printed.code, printed.stderr]).toEqual([0, ""]);
  const label = /^Preliminary analysis (manual-\S+), experiment version 1$/m.exec(printed.stdout)?.[1] ?? "";
  expect(new Date(label.slice("manual-".length)).toISOString()).toBe(label.slice("manual-".length));
  const latest = await readResults(id);
  expect(latest).toMatchObject({ computed_for: label, preliminary: true, available_days: [label, today] });
  const { available_days: days, ...kept } = await readResults(id, today);
  expect({ ...kept, available_days: [today] }).toEqual(nightlyRun);
  expect(days).toEqual([label, today]);

  expect(await nightly(today, "manual")).toBe("computed");
  expect(await readResults(id)).toMatchObject({
    computed_for: today,
    preliminary: false,
    available_days: [today, label],
  });
  expect((await readResults(id, label)).computed_for).toBe(label);
  const unknown = await getResults(id, "2001-01-01");
  expect([unknown.status, unknown.body.type]).toEqual([404, "https://assay.dev/problems/run-not-found"]);
});

test("replay prints how the metrics behave when nothing differs", async () => {
  const id = await createExperiment(service, access, "replayed");
  await sendTraffic(id, { control: [400, 120], treatment: [20, 5], at: earlierToday() });
  const printed = await assay("replay", "replayed");
  expect([printed.code, printed.stderr]).toEqual([0, ""]);
  expect(printed.stdout).toContain("A/A replay: control split at random in two, 1000 times.");
  expect(printed.stdout).toMatch(
    /^bought +400 +[\d.]+% \(3\.3% … 6\.9%\) +0\.1\d* \(4\d\.?\d*%\) +[01]\.\d\d +correct$/m,
  );
  expect(printed.stdout).toContain("· bought: False positives occur as often as they should.");
  expectOneLine(await assay("replay", "ghost"), /No experiment has the id or name "ghost"/);
});

test("plan prints what an experiment needs, stored or in a file, as text and as JSON", async () => {
  await createExperiment(service, access, "planned");
  const given = ["--baselines", "bought=0.1", "--users-per-day", "500"];
  const printed = await assay("plan", "planned", ...given, "--days", "28", "--target-effect", "0.2");
  expect([printed.code, printed.stderr]).toEqual([0, ""]);
  expect(printed.stdout).toContain("Plan of planned: 500 users per day (request), power 80%, alpha 0.05.");
  expect(printed.stdout).toMatch(
    /^bought +treatment +0\.1 \(request\) +20% \(0\.02\) +7,678 +16 +7,678 in 16 days +/m,
  );
  const stored = await assay("plan", "planned", ...given, "--json");
  const { experiment_id: _id, version: _version, ...plan } = JSON.parse(stored.stdout);
  expect(plan.rows[0]).toMatchObject({ metric: "bought", smaller_units: [] });

  const file = join(service.dataDir, "experiment.json");
  writeFileSync(file, JSON.stringify(experimentBody("planned-in-a-file")));
  const ofFile = await assay("plan", "--file", file, ...given, "--json");
  expect(JSON.parse(ofFile.stdout).rows).toEqual(plan.rows);
  expectOneLine(await assay("plan", "planned", "--power", "80"), /power/);
  expectOneLine(await assay("plan", "ghost"), /No experiment has the id or name "ghost"/);
});

test("hold and resume change a running experiment, and say so", async () => {
  const id = await createExperiment(service, access, "held");
  const held = await assay("hold", "held", "--reason", "Errors tripled.");
  expect([held.code, held.stderr]).toEqual([0, ""]);
  expect(held.stdout).toMatch(/^held has been held since 20\S+Z: nobody gets a variant\. Errors tripled\.$/m);
  expect((await assay("hold", id)).stdout).toContain("Errors tripled.");
  const resumed = await assay("resume", "held");
  expect(resumed.stdout).toBe("held is not held: users get their variants.\n");
  expectOneLine(await assay("resume", "ghost"), /No experiment has the id or name "ghost"/);
});

test("holdback prints what the weeks show, and ends it", async () => {
  const id = await createExperiment(service, access, "shipped");
  const put = (body: object) =>
    expectOk(service.send("PUT", `/v1/experiments/${id}`, { headers: access.session, body }));
  expectOneLine(
    await assay("holdback", "shipped"),
    /shipped has no holdback: a holdback can only begin when the experiment ships/,
  );
  await put({ assignment: "assay" });
  await put({ status: "shipped", shipped_variant: "treatment", holdback: { percent: 2 } });
  const printed = await assay("holdback", "shipped");
  expect([printed.code, printed.stderr]).toEqual([0, ""]);
  expect(printed.stdout).toMatch(/^The holdback ends 20\S+Z\. A week is analyzed a day after/);
  expect((await assay("holdback", "shipped", "--end")).stdout).toBe("Everybody gets treatment of shipped.\n");
});

test("analyze --day runs a past night again: a new revision that includes newer events", async () => {
  const id = await createExperiment(service, access, "again");
  const at = Date.now() - DAY_MS;
  const day = dayOf(at);
  await sendTraffic(id, { control: [220, 44], treatment: [220, 66], at });
  expect(await nightly(day, "again")).toBe("computed");
  const late = { type: "business_event", business_metric: "bought", value: 1 } as const;
  const about = { user_id: "control-219", variant: "control", timestamp: instant(at + 2) };
  await postEvents(service, access, [makeEvent(id, { ...late, ...about })]);

  const printed = await assay("analyze", "again", "--day", day);
  expect([printed.code, printed.stderr]).toEqual([0, ""]);
  expect(printed.stdout).toMatch(new RegExp(`^Nightly run ${day}, revision 2, experiment version 1$`, "m"));
  expect((await readResults(id)).results["bought::treatment"]?.control_value).toBeCloseTo(45 / 220, 12);
  const { body: first } = await getResults(id, `${day}&revision=1`);
  expect(first.results["bought::treatment"]?.control_value).toBeCloseTo(44 / 220, 12);
  expectOneLine(await assay("analyze", "again", "--day", dayOf(Date.now())), /day.*not over yet/);
});

test.each([
  { day: "2026-02-30", line: /day.*calendar/ },
  { day: dayOf(Date.now() + 2 * DAY_MS), line: /day.*future/ },
])("nightly refuses the day $day in one line", async ({ day, line }) => {
  expectOneLine(await assay("nightly", "--day", day), line);
});
