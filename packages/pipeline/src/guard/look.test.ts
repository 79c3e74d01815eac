import {
  createMetric,
  DEFAULT_GUARD,
  GUARD_COLUMNS,
  GUARD_GROUPS,
  type GuardColumn,
  type MetricDefinition,
  type SignalLook,
} from "@assay/domain";
import { createStream, fillWords } from "@assay/stats";
import { describe, expect, test } from "vitest";
import { documented } from "../../../../tests/documented.ts";
import {
  GUARD_ALPHA,
  harmsOf,
  lookAtGuard,
  MAX_GROUP_VALUE,
  MAX_GROUP_WEIGHT,
  MIN_GUARD_EVENTS,
  MIN_GUARD_GROUPS,
  SPLIT,
  TUNED_TO,
} from "./look.ts";
import { watchedMetrics, watchedSignals } from "./signals.ts";

type Call = Partial<Record<GuardColumn | "sum" | "count", number>>;

/** Scatters users over the groups, as a hash does. */
function groupOf(user: number): number {
  let hash = Math.imul(user + 1, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) % GUARD_GROUPS;
}

/** An arm of so many users with the same events each, spread over the groups; `of` may differ by user. */
function arm(users: number, of: (user: number) => Call, first = 0): readonly Float64Array[] {
  const names = [...GUARD_COLUMNS, "sum", "count"] as const;
  const columns = names.map(() => new Float64Array(GUARD_GROUPS));
  for (let user = 0; user < users; user++) {
    const call = of(user);
    for (const [i, name] of names.entries()) columns[i]![groupOf(first + user)]! += call[name] ?? 0;
  }
  return columns;
}

/** Calls of which one in `every` fails. */
const failing = (every: number) => (user: number) => ({
  ...{ exposures: 1, calls: 1, errors: Number(user % every === 0), completed: Number(user % every !== 0) },
  ...{ latencyCount: 1, latencySum: 100 + (user % 7) },
});
const halves = { control: 0.5, b: 0.5 };
const metric = (change: Partial<MetricDefinition>): MetricDefinition => ({
  ...createMetric({
    name: "m",
    kind: "mean",
    category: "business",
    methodDefault: "auto",
    metricVersion: 1,
    sharedOrgWide: false,
  }),
  role: "guardrail",
  ...change,
});

function look(
  control: readonly Float64Array[],
  treatment: readonly Float64Array[],
  { metrics = [], shares = halves, guard = DEFAULT_GUARD, starts = 1 } = {} as {
    metrics?: readonly MetricDefinition[];
    shares?: Readonly<Record<string, number>>;
    guard?: typeof DEFAULT_GUARD;
    starts?: number;
  },
): Readonly<Record<string, SignalLook>> {
  const signals = watchedSignals(guard, metrics);
  const looks = lookAtGuard({
    sums: new Map([
      ["control", control],
      ["b", treatment],
    ]),
    signals,
    control: "control",
    ...{ shares, starts },
  });
  return Object.fromEntries(looks.map((one) => [one.signal, one]));
}
const harms = (looks: Readonly<Record<string, SignalLook>>) =>
  harmsOf(Object.values(looks)).map(({ signal }) => signal);

test("the documented numbers of the guard", () => {
  const number = (pattern: RegExp) => documented("guard.md", pattern);
  expect(GUARD_ALPHA).toBe(number(/is held with a chance of at most (\d+)%, all signals and/) / 100);
  expect(TUNED_TO).toBe(number(/tuned to ([\d,]+) events of both arms/));
  expect(MAX_GROUP_WEIGHT).toBe(number(/counts for at most (\d+) times the middle one/));
  expect(MAX_GROUP_VALUE).toBe(number(/counts for at most (\d+) times that of the middle group/));
  expect(MIN_GUARD_EVENTS).toBe(number(/compared once it has (\d+) events/));
  expect(MIN_GUARD_GROUPS).toBe(number(/compared once it has \d+ events in (\d+) groups/));
});

describe("a guard", () => {
  test("finds a variant that triples the errors, and says what it saw", () => {
    const looks = look(arm(2_000, failing(50)), arm(2_000, failing(16)));
    expect(harms(looks)).toEqual(["error_rate"]);
    expect(looks.error_rate).toMatchObject({
      ...{ treatment: "b", controlValue: 0.02, treatmentValue: 0.0625, acceptable: 0.01, events: 4_000 },
    });
    expect(looks.error_rate!.evidence).toBeGreaterThan(1);
  });

  test("accepts harm that is acceptable, and improvements", () => {
    expect(harms(look(arm(20_000, failing(50)), arm(20_000, failing(34))))).toEqual([]);
    const better = look(arm(2_000, failing(16)), arm(2_000, failing(50)));
    expect([harms(better), better.error_rate!.evidence]).toEqual([[], 0]);
    expect(look(arm(150, failing(3)), arm(150, failing(50))).error_rate!.evidence).toBe(0);
  });

  test("counts latency and cost relative to control", () => {
    const slow = (ms: number) => (user: number) => ({
      exposures: 1,
      calls: 1,
      latencyCount: 1,
      latencySum: ms + (user % 9),
    });
    expect(harms(look(arm(3_000, slow(100)), arm(3_000, slow(118))))).toEqual([]);
    expect(harms(look(arm(3_000, slow(100)), arm(3_000, slow(130))))).toEqual(["latency"]);
    const cost = (usd: number) => (user: number) => ({
      exposures: 1,
      costCount: 1,
      costSum: usd * (1 + (user % 3)),
    });
    expect(harms(look(arm(9_000, cost(1)), arm(9_000, cost(1.1))))).toEqual([]);
    expect(harms(look(arm(9_000, cost(1)), arm(9_000, cost(1.5))))).toEqual([
      "cost_per_call",
      "cost_per_user",
    ]);
  });

  test.each([
    { signal: "missing_usage", column: "missingUsage", acceptable: 0.05 },
    { signal: "truncation", column: "truncated", acceptable: 0.02 },
  ] as const)("counts $signal of the completed calls", ({ signal, column, acceptable }) => {
    // Half of the calls complete.
    const faulty = (every: number) => (user: number) => ({
      ...{ exposures: 1, calls: 2, completed: 1 },
      [column]: Number(user % every === 0),
    });
    const looks = look(arm(4_000, faulty(50)), arm(4_000, faulty(4)));
    expect(harms(looks)).toEqual([signal]);
    expect(looks[signal]).toMatchObject({
      ...{ acceptable, isRelative: false, controlValue: 0.02, treatmentValue: 0.25, events: 8_000 },
    });
    expect(harms(look(arm(4_000, faulty(50)), arm(4_000, faulty(30))))).toEqual([]);
  });

  test("counts the cost of all calls of as many users, whatever an exposure is", () => {
    // Each call comes with an exposure, so calls per exposure never rise.
    const calling = (calls: number) => () => ({ exposures: calls, calls, costCount: calls, costSum: calls });
    const thirds = { control: 2 / 3, b: 1 / 3 };
    const looks = look(arm(18_000, calling(2)), arm(9_000, calling(3), 50_000), { shares: thirds });
    expect(looks.cost_per_user).toMatchObject({
      ...{ controlValue: 18_000, treatmentValue: 27_000, acceptable: 0.2, isRelative: true, events: 63_000 },
    });
    expect(looks.cost_per_user!.evidence).toBeGreaterThan(1);
    expect(looks.cost_per_call!.evidence).toBe(0);
    const same = look(arm(18_000, calling(2)), arm(9_000, calling(2), 50_000), { shares: thirds });
    expect(same.cost_per_user!.evidence).toBeLessThan(1);
    const none = look(arm(0, calling(1)), arm(0, calling(1)));
    expect(none.cost_per_user).toMatchObject({ controlValue: null, treatmentValue: null, evidence: null });
  });

  test("does not hold for one user who calls without end", () => {
    const calling = (calls: number) => ({ exposures: 1, calls, costCount: calls, costSum: calls });
    const heavy = arm(2_000, (user) => calling(user === 0 ? 50_000 : 2));
    expect(
      harms(
        look(
          arm(2_000, () => calling(2)),
          heavy,
        ),
      ),
    ).not.toContain("cost_per_user");
  });

  test.each([1e12, Number.POSITIVE_INFINITY])(
    "one call with a latency of %s neither holds nor hides harm",
    (broken) => {
      const calls = (ms: number) => (user: number) => ({
        ...{ exposures: 1, calls: 1, completed: 1, latencyCount: 1, latencySum: ms + (user % 9) },
      });
      const brokenOne = (ms: number) => (user: number) => ({
        ...calls(ms)(user),
        ...(user === 0 && { latencySum: broken }),
      });
      expect(harms(look(arm(2_000, calls(1_000)), arm(2_000, brokenOne(1_000))))).toEqual([]);
      expect(harms(look(arm(2_000, calls(1_000)), arm(2_000, brokenOne(3_000))))).toEqual(["latency"]);
      expect(harms(look(arm(2_000, brokenOne(1_000)), arm(2_000, calls(3_000))))).toEqual(["latency"]);
    },
  );

  test("takes the calls of one heavy user for one user's", () => {
    const control = arm(1_000, failing(50));
    const heavy = arm(1_000, (user) =>
      user === 0 ? { exposures: 1, calls: 5_000, errors: 5_000 } : failing(50)(user),
    );
    const looks = look(control, heavy);
    expect(looks.error_rate!.treatmentValue).toBeGreaterThan(0.8);
    expect(harms(looks)).toEqual([]);
  });

  test("does not hold for one user whose calls without end all fail", () => {
    const heavy = (calls: number) =>
      arm(1_000, (user) => (user === 0 ? { exposures: 1, calls, errors: calls } : failing(50)(user)));
    for (const calls of [10, 500, 50_000, 1e6])
      expect(harms(look(arm(1_000, failing(50)), heavy(calls)))).toEqual([]);
  });

  test("takes what is acceptable as if control were so much worse", () => {
    const control = arm(2_000, (user) => ({ ...failing(30)(user), latencySum: 100 + (user % 50) }));
    const treatment = arm(2_000, (user) => ({ ...failing(8)(user), latencySum: 130 + (user % 60) }), 9_999);
    const [calls, errors] = ["calls", "errors"].map((name) => GUARD_COLUMNS.indexOf(name as GuardColumn));
    const latency = GUARD_COLUMNS.indexOf("latencySum");
    const worse = control.map((column, i) =>
      i === errors
        ? column.map((value, group) => value + 0.01 * control[calls!]![group]!)
        : i === latency
          ? column.map((value) => 1.2 * value)
          : column,
    );
    const accepting = look(control, treatment);
    const strict = look(worse, treatment, { guard: { ...DEFAULT_GUARD, errorRate: 0, latency: 0 } });
    for (const signal of ["error_rate", "latency"]) {
      expect(accepting[signal]!.evidence).toBeGreaterThan(0);
      expect(accepting[signal]!.evidence).toBeCloseTo(strict[signal]!.evidence!, 9);
    }
  });

  test("compares the exposures with the users' shares, in either direction", () => {
    const exposed = (users: number) => arm(users, () => ({ exposures: 1 }), 7 * users);
    expect(harms(look(exposed(5_000), exposed(5_050)))).toEqual([]);
    expect(harms(look(exposed(5_000), exposed(3_500)))).toEqual([SPLIT]);
    expect(harms(look(exposed(3_500), exposed(5_000)))).toEqual([SPLIT]);
    expect(harms(look(exposed(9_000), exposed(1_000), { shares: { control: 0.9, b: 0.1 } }))).toEqual([]);
    expect(look(exposed(6_000), exposed(2_000))[SPLIT]).toMatchObject({
      controlValue: 0.75,
      treatmentValue: 0.25,
    });
  });

  test.each([
    { what: "too few groups", users: MIN_GUARD_GROUPS - 1, calls: 10, known: false },
    { what: "enough groups", users: MIN_GUARD_GROUPS, calls: 10, known: true },
    { what: "too few events", users: MIN_GUARD_EVENTS - 1, calls: 1, known: false },
    { what: "enough events", users: MIN_GUARD_EVENTS, calls: 1, known: true },
  ])("says nothing on $what: $known", ({ users, calls, known }) => {
    const some = arm(users, (user) => ({ exposures: calls, calls, errors: user % 3 === 0 ? 1 : 0 }));
    const many = arm(5_000, failing(50));
    expect(look(many, some).error_rate!.evidence !== null).toBe(known);
    expect(look(some, many).error_rate!.evidence !== null).toBe(known);
  });

  test("finds that every call fails where none did, although no arm varies", () => {
    const calls = (errors: number) =>
      arm(GUARD_GROUPS, () => ({ exposures: 1, calls: 1, errors, completed: 1 - errors }));
    expect(harms(look(calls(0), calls(1)))).toEqual(["error_rate"]);
    expect(look(calls(0), calls(0)).error_rate).toMatchObject({ evidence: 0 });
    expect(look(calls(1), calls(0)).error_rate).toMatchObject({ evidence: 0 });
  });

  test("says nothing without events, and finds nothing without spread", () => {
    const unseen = { sums: new Map(), signals: [], control: "control", shares: halves, starts: 1 };
    expect(lookAtGuard(unseen)).toMatchObject([{ signal: SPLIT, events: 0, evidence: null }]);
    const nothing = look([], []);
    expect(nothing.error_rate).toMatchObject({
      controlValue: null,
      treatmentValue: null,
      events: 0,
      evidence: null,
    });
    expect(nothing[SPLIT]).toMatchObject({ controlValue: null, evidence: null });
    const same = arm(GUARD_GROUPS, () => ({ exposures: 1, calls: 1, latencyCount: 1, latencySum: 5 }));
    expect(look(same, same).latency!.evidence).toBe(0);
  });

  test("asks for more evidence with each start, so that all of them together keep the error", () => {
    const evidence = (starts: number) =>
      look(arm(2_000, failing(50)), arm(2_000, failing(16)), { starts }).error_rate!.evidence!;
    const log = evidence(1) * Math.log((7 / GUARD_ALPHA) * (Math.PI ** 2 / 6));
    expect(evidence(3) * Math.log((7 / GUARD_ALPHA) * 9 * (Math.PI ** 2 / 6))).toBeCloseTo(log, 9);
    const parts = Array.from({ length: 100_000 }, (_, k) => 6 / (Math.PI * (k + 1)) ** 2);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeLessThan(1);
  });

  test("watches what it is asked to, and every treatment but not an arm without a share", () => {
    const bad = arm(2_000, failing(5));
    const sums = new Map([
      ["control", arm(2_000, failing(50))],
      ["b", bad],
      ["c", bad],
    ]);
    const signals = watchedSignals({ ...DEFAULT_GUARD, latency: null }, []);
    const looks = lookAtGuard({
      sums,
      signals,
      control: "control",
      shares: { control: 0.5, c: 0.5 },
      starts: 1,
    });
    expect(new Set(looks.map(({ treatment }) => treatment))).toEqual(new Set(["c"]));
    expect(looks.map(({ signal }) => signal)).not.toContain("latency");
    expect(lookAtGuard({ sums, signals, control: "control", shares: { c: 1 }, starts: 1 })).toEqual([]);
  });
});

describe("a guardrail metric", () => {
  const outcome = (value: number) => (user: number) => ({
    exposures: 1,
    sum: user % 4 === 0 ? value : 0,
    count: Number(user % 4 === 0),
  });

  test.each<{ what: string; change: Partial<MetricDefinition>; harm: boolean }>([
    { what: "falls", change: {}, harm: true },
    { what: "falls, which is good", change: { desired: "decrease" }, harm: false },
    { what: "falls within its margin", change: { margin: 0.6 }, harm: false },
    { what: "happens as often", change: { kind: "binary" }, harm: false },
    { what: "is lower per event", change: { kind: "ratio" }, harm: true },
    { what: "is lower per judged event", change: { kind: "ordinal" }, harm: true },
    { what: "is no guardrail", change: { role: "secondary" }, harm: false },
    { what: "is a quantile", change: { kind: "quantile" }, harm: false },
    { what: "is judged", change: { source: { event: "judge" } }, harm: false },
  ])("that $what holds the experiment: $harm", ({ change, harm }) => {
    const vary = (value: number) => (user: number) => outcome(value + (user % 8) / 100)(user);
    const looks = look(arm(8_000, vary(2)), arm(8_000, vary(1)), { metrics: [metric(change)] });
    expect(harms(looks)).toEqual(harm ? ["m"] : []);
  });

  test("of calls counts per call, and that of kind binary by what happened", () => {
    const calls = metric({
      kind: "binary",
      source: { event: "model_call", field: "error" },
      desired: "decrease",
    });
    const failed = (every: number) => (user: number) => ({
      exposures: 1,
      sum: Number(user % every === 0),
      count: 1,
    });
    expect(harms(look(arm(4_000, failed(50)), arm(4_000, failed(10)), { metrics: [calls] }))).toEqual(["m"]);
    const fewer = arm(8_000, (user) => outcome(user % 8 === 0 ? 1 : 0)(user % 8 === 0 ? user : 1));
    expect(harms(look(arm(8_000, outcome(1)), fewer, { metrics: [metric({ kind: "binary" })] }))).toEqual([
      "m",
    ]);
    const ofRuns = metric({ source: { event: "run", field: "turns" } });
    expect(watchedMetrics([calls, ofRuns, metric({ role: "primary" })])).toEqual([calls]);
  });
});

test("an experiment without harm is held with a chance of at most 1%, however often one looks", () => {
  const words = new Int32Array(1_000_000);
  fillWords(createStream(7), words);
  let drawn = 0;
  const uniform = () => (words[drawn++ % words.length]! >>> 0) / 2 ** 32;
  const signals = watchedSignals(
    { errorRate: 0, latency: 0, costPerCall: null, costPerUser: null, missingUsage: null, truncation: null },
    [],
  );
  let held = 0;
  for (let run = 0; run < 20; run++) {
    const sums = new Map(["control", "b"].map((name) => [name, arm(0, () => ({}))]));
    let isHeld = false;
    for (let minute = 0; minute < 50 && !isHeld; minute++) {
      for (const columns of sums.values()) {
        for (let call = 0; call < 40; call++) {
          const group = Math.floor(uniform() * GUARD_GROUPS);
          const add = (column: GuardColumn, by: number) => {
            columns[GUARD_COLUMNS.indexOf(column)]![group]! += by;
          };
          add("exposures", 1);
          add("calls", 1);
          add("errors", Number(uniform() < 0.03));
          add("latencyCount", 1);
          add("latencySum", -Math.log(1 - uniform()));
        }
      }
      isHeld =
        harmsOf(lookAtGuard({ sums, signals, control: "control", shares: halves, starts: 1 })).length > 0;
    }
    held += Number(isHeld);
  }
  // Of 20 runs none is expected; three would be one in a thousand.
  expect(held).toBeLessThanOrEqual(2);
  expect(GUARD_ALPHA).toBe(0.01);
});
