import { createMetric, type MetricKind, type TestMethod } from "@assay/domain";
import { type ArmData, compareArms } from "@assay/pipeline";
import {
  alwaysValid,
  type PpiOutcome,
  ppiDifference,
  ratioMomentsOf,
  type Stratum,
  type TestOutcome,
} from "@assay/stats";
import { toBins } from "../assay/arm-data.ts";
import { type Cell, type Measure, share, shownShare } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import { drawUnits, type Unit, type UnitArms, type UnitsDesign } from "../populations/units.ts";
import type { Draw } from "../random/draw.ts";
import { holds, rejects } from "./comparison.ts";

const SECTION = "units";
/** Few enough to be quick, and enough for p ≤ .05. */
const PERMUTATIONS = 199;
/** Looks at the first fifth of the units, the first two fifths and so on. */
const LOOKS = 5;
/** Latent values above this are successes: 31 %. */
const SUCCESS = 0.5;

/** A test of the pipeline, and the value of a unit that it reads. */
interface UnitTest {
  readonly name: string;
  readonly kind: MetricKind;
  readonly method: TestMethod;
  /** For means and shares; the others read calls. */
  readonly read: (unit: Unit) => number;
}

const latent = ({ value }: Unit) => 10 + value;

const WELCH: UnitTest = { name: "welch_t", kind: "mean", method: "welch_t", read: latent };
const TESTS: readonly UnitTest[] = [
  WELCH,
  { name: "permutation", kind: "mean", method: "permutation", read: latent },
  {
    name: "two_proportion_z",
    kind: "binary",
    method: "auto",
    read: ({ value }) => Number(value > SUCCESS),
  },
  { name: "ratio_delta", kind: "ratio", method: "ratio_delta", read: latent },
  { name: "cluster_quantile p50", kind: "quantile", method: "auto", read: latent },
  { name: "mann_whitney_u", kind: "ordinal", method: "auto", read: latent },
];

/** Compares the arms as a night does; without `clusters`, as if every unit belonged to a different user. */
function compareUnits(
  { kind, method, read }: UnitTest,
  arms: UnitArms,
  { seed, clusters = true }: { readonly seed: number; readonly clusters?: boolean },
): TestOutcome | null {
  const metric = createMetric({
    ...{
      name: "m",
      kind,
      category: "business",
      methodDefault: method,
      metricVersion: 1,
      sharedOrgWide: false,
    },
    quantile: 0.5,
  });
  const toArm = (units: readonly Unit[]): ArmData => {
    const y = Float64Array.from(units, read);
    // One to three calls of equal value.
    const d = Float64Array.from(units, ({ value }) =>
      kind === "ratio" ? 2 + Math.sign(Math.round(value)) : 1,
    );
    const owners = clusters ? { clusters: Float64Array.from(units, ({ user }) => user) } : {};
    const unknown = y.map(() => Number.NaN);
    const values = {
      type: "values",
      y: y.map((value, i) => value * d[i]!),
      d,
      preY: unknown,
      preD: unknown,
      ...owners,
    } as const;
    const isQuantile = kind === "quantile";
    return {
      users: units.length,
      moments: ratioMomentsOf(values),
      values: isQuantile ? null : values,
      bins: isQuantile
        ? { type: "bins", ...toBins(units.map(({ value }) => [100 * Math.exp(value / 2)])), ...owners }
        : null,
    };
  };
  const stratum: Stratum<ArmData> = { control: toArm(arms.control), treatment: toArm(arms.treatment) };
  return compareArms(metric, [stratum], { permutations: PERMUTATIONS, seed })?.outcome ?? null;
}

/** Returns whether any look finds an effect by the always-valid p-value. */
function anyLook(arms: UnitArms): number {
  const units = arms.control.length + arms.treatment.length;
  const found = Array.from({ length: LOOKS }, (_, look) => {
    const part = (of: readonly Unit[]) => of.slice(0, Math.ceil((of.length * (look + 1)) / LOOKS));
    const now = { control: part(arms.control), treatment: part(arms.treatment) };
    const { effect, standardError } = compareUnits(WELCH, now, { seed: 0 })!;
    const n = now.control.length + now.treatment.length;
    return alwaysValid({ effect, standardError: standardError!, n, expectedUsers: units }).pValue <= 0.05;
  });
  return Number(found.some(Boolean));
}

function idOf({ users, unitsPerUser, rho, spread = 0, byUser = false }: UnitsDesign): string {
  return `${users}x${unitsPerUser}/${rho}/${spread}${byUser ? "/by-user" : ""}`;
}

function labelsOf({ users, unitsPerUser, rho, spread = 0 }: UnitsDesign): string[] {
  return [`${users}`, `${unitsPerUser}`, `${rho}`, `${spread}`];
}

const HEADS = ["users", "units per user", "correlation", "effect's sd between users"];

interface UnitCell {
  readonly name: string;
  readonly measures: readonly Measure[];
  readonly observe: (arms: UnitArms, draw: Draw) => readonly (number | null)[];
}

function cellOf(design: UnitsDesign, { name, measures, observe }: UnitCell): Cell {
  return {
    id: `${SECTION}/${name}/${idOf(design)}`,
    labels: labelsOf(design),
    repetitions: { long: 1_000, short: 8 },
    measures,
    observe: (draw) => observe(drawUnits(draw, design), draw),
  };
}

/** Because of bins of 2 %, a quantile may reject less often. */
const FALSE_POSITIVES: UnitCell = {
  name: "false-positives",
  measures: [
    ...TESTS.map(({ name }) => share(name, 0.05, name.includes("quantile") ? "high" : "both")),
    share(`always valid, ${LOOKS} looks`, 0.05, "high"),
  ],
  observe: (arms, draw) => [
    ...TESTS.map((test) => rejects(compareUnits(test, arms, { seed: draw.seed() }))),
    anyLook(arms),
  ],
};

const COVERAGE: UnitCell = {
  name: "coverage",
  measures: [
    ...TESTS.map(({ name }) => share(name, 0.95, "low")),
    shownShare("welch_t of independent units"),
  ],
  observe: (arms, draw) => {
    const covers = (outcome: TestOutcome | null) => outcome && holds(outcome.ciLow, outcome.ciHigh, 0);
    const naive = compareUnits(WELCH, arms, { seed: 0, clusters: false });
    return [...TESTS.map((test) => covers(compareUnits(test, arms, { seed: draw.seed() }))), covers(naive)];
  },
};

const BY_USER: UnitCell = {
  name: "by-user",
  measures: [shownShare("welch_t of independent units"), share("welch_t with users", 0.05)],
  observe: (arms) => [
    rejects(compareUnits(WELCH, arms, { seed: 0, clusters: false })),
    rejects(compareUnits(WELCH, arms, { seed: 0 })),
  ],
};

/** If users are the units, successes this rare get Fisher's test. Here, units are permuted. */
const RARE = 1.8;
/** Labels in each arm. */
const LABELS = 100;

/** Tests that no metric has by default, or only with rare cases or labels. */
const OTHER_TESTS: readonly UnitTest[] = [
  { name: "cluster_bootstrap of means", kind: "mean", method: "cluster_bootstrap", read: latent },
  { name: "cluster_bootstrap of ratios", kind: "ratio", method: "cluster_bootstrap", read: latent },
  {
    name: "permutation of rare cases (3.6 %)",
    kind: "binary",
    method: "permutation",
    read: ({ value }) => Number(value > RARE),
  },
];

/** Compares the arms by the labels of some units and the scores of all. The judge's scores have an error. */
function compareJudged({ control, treatment }: UnitArms, draw: Draw): PpiOutcome | null {
  const judged = (units: readonly Unit[]) =>
    units.map(({ user, value }, i) => ({
      ...{ cluster: user, weight: 1, score: value + 0.7 * draw.normal() },
      label: i < LABELS ? value : null,
    }));
  return ppiDifference({ control: judged(control), treatment: judged(treatment) }, { shareUsers: true });
}

const OTHERS: UnitCell = {
  name: "other-tests",
  measures: [
    // Values are discrete, so tests with few cases may reject less often.
    ...OTHER_TESTS.map(({ name, kind }) => share(name, 0.05, kind === "binary" ? "high" : "both")),
    share(`ppi_z, ${LABELS} labels per arm`, 0.05),
  ],
  observe: (arms, draw) => [
    ...OTHER_TESTS.map((test) => rejects(compareUnits(test, arms, { seed: draw.seed() }))),
    rejects(compareJudged(arms, draw)),
  ],
};

const CORRELATIONS = [0, 0.2, 0.5];
const SIZES = [
  [200, 2],
  [60, 8],
  [30, 50],
] as const;

export const units: Section = {
  id: SECTION,
  title: "Conversations of users",
  text: `Here the randomized units are smaller than users: conversations, for example. Each user has several, in both arms. Latent values are
normal, and two units of the same user have the given correlation. All tests run as they do at night, with standard errors that treat
a user as one observation. *Heavy* users have 1 + ⌊lognormal(0.8, 0.9)⌋ units.

- Second table: the variant's effect differs between users, with a mean of 0, which the intervals should contain. All users are in
  both arms. A standard error that assumes independent units is too small.
- Third table: 100 units per arm have a label, and all units have scores.
- Last table: what that standard error does when users are randomized.`,
  tables: [
    {
      caption: "Rejections without an effect",
      heads: HEADS,
      cells: [
        cellOf({ users: 400, unitsPerUser: 1, rho: 0 }, FALSE_POSITIVES),
        ...SIZES.flatMap(([users, unitsPerUser]) =>
          CORRELATIONS.map((rho) => cellOf({ users, unitsPerUser, rho }, FALSE_POSITIVES)),
        ),
      ],
    },
    {
      caption: "Intervals that hold the mean effect",
      heads: HEADS,
      cells: [
        cellOf({ users: 30, unitsPerUser: 8, rho: 0.2 }, COVERAGE),
        cellOf({ users: 30, unitsPerUser: 8, rho: 0.2, spread: 0.7 }, COVERAGE),
        cellOf({ users: 30, unitsPerUser: 8, rho: 0.5, spread: 1 }, COVERAGE),
        cellOf({ users: 30, unitsPerUser: 50, rho: 0.2, spread: 0.7 }, COVERAGE),
        cellOf({ users: 60, unitsPerUser: "heavy", rho: 0.2, spread: 0.7 }, COVERAGE),
        // Of 40 users with two units, 30 are in each arm on average.
        ...CORRELATIONS.map((rho) => cellOf({ users: 40, unitsPerUser: 2, rho, spread: 0.7 }, COVERAGE)),
        ...[0, 0.5].map((rho) => cellOf({ users: 30, unitsPerUser: 8, rho, spread: 0.7 }, COVERAGE)),
        ...[0, 0.5].map((rho) => cellOf({ users: 30, unitsPerUser: 50, rho, spread: 0.7 }, COVERAGE)),
      ],
    },
    {
      caption: "Tests on demand, rare cases and labels: rejections without an effect",
      heads: HEADS,
      cells: [
        cellOf({ users: 400, unitsPerUser: 1, rho: 0 }, OTHERS),
        ...SIZES.flatMap(([users, unitsPerUser]) =>
          CORRELATIONS.map((rho) => cellOf({ users, unitsPerUser, rho }, OTHERS)),
        ),
      ],
    },
    {
      caption: "Users randomized: rejections without an effect",
      heads: HEADS,
      cells: SIZES.map(([users, unitsPerUser]) =>
        cellOf({ users, unitsPerUser, rho: 0.5, byUser: true }, BY_USER),
      ),
    },
  ],
  figures: () => [],
};
