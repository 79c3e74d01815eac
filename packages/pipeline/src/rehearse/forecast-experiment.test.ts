import { requiredUsers, studentTQuantile } from "@assay/stats";
import { describe, expect, test } from "vitest";
import { MIN_USERS_PER_ARM } from "../compare/eligibility.ts";
import { type ForecastInput, forecastExperiment } from "./forecast-experiment.ts";
import { type LedgerEntry, MIN_LEDGER_ENTRIES, summarizeLedger } from "./ledger.ts";

const Z = 1.959963984540054;

function entry(rehearsed: number, found: number, own: Partial<LedgerEntry> = {}): LedgerEntry {
  const interval = { foundLow: found - 0.05, foundHigh: found + 0.05 };
  return { metric: "score", rehearsed, found, ...interval, ...own };
}

/** Experiments that find half of what rehearsals show, give or take. */
const HALF = [entry(0.2, 0.11), entry(-0.1, -0.04), entry(0.3, 0.14), entry(0.1, 0.06), entry(0.4, 0.2)];

function forecast(own: Partial<Omit<ForecastInput, "row">> & { row?: Partial<ForecastInput["row"]> } = {}) {
  const row = { metric: "score", controlValue: 3, effect: 0.2, ciLow: 0.1, ciHigh: 0.3, ...own.row } as const;
  return forecastExperiment({
    ...{ ledger: [], baseline: { value: 3, sd: 1 }, shares: { control: 0.5, treatment: 0.5 } },
    ...{ usersPerDay: 100, ...own, row },
  });
}

describe("the ledger", () => {
  test("knows nothing of transfer with fewer than five pairs, nor without any rehearsed effect", () => {
    expect(MIN_LEDGER_ENTRIES).toBe(5);
    expect(summarizeLedger(HALF.slice(1), "score")).toMatchObject({ entries: 4, transfer: null });
    expect(summarizeLedger(new Array(9).fill(entry(0, 0.1)), "score").transfer).toBeNull();
    const touching = [entry(0.1, 0.05, { foundLow: 0 }), entry(-0.1, -0.05, { foundHigh: 0 })];
    expect(summarizeLedger(touching, "score")).toMatchObject({ entries: 2, found: 0 });
    expect(summarizeLedger([entry(0, 0.1)], "score")).toMatchObject({ found: 1, agreed: 0 });
    expect(summarizeLedger([], "score")).toEqual({ entries: 0, found: 0, agreed: 0, transfer: null });
  });

  test("fits the line through the origin, with the spread about it", () => {
    // Σ xy = 0.154, Σ x² = 0.31; the squared gaps add up to 0.0010967….
    const { slope, slopeError, spread, df } = summarizeLedger(HALF, "score").transfer!;
    const gaps = HALF.map(({ rehearsed, found }) => (found - (0.154 / 0.31) * rehearsed) ** 2);
    const expected = Math.sqrt(gaps.reduce((sum, gap) => sum + gap, 0) / 4);
    expect(slope).toBeCloseTo(0.154 / 0.31, 12);
    expect(spread).toBeCloseTo(expected, 12);
    expect(slopeError).toBeCloseTo(expected / Math.sqrt(0.31), 12);
    expect(df).toBe(4);
  });

  test("counts experiments that found something, and those that agree in sign", () => {
    const ledger = [
      entry(0.2, 0.11),
      entry(0.2, -0.11),
      entry(-0.2, -0.11),
      entry(0.2, 0.04),
      entry(0.2, 0.11, { metric: "error" }),
    ];
    expect(summarizeLedger(ledger, "score")).toMatchObject({ entries: 4, found: 3, agreed: 2 });
  });
});

describe("the forecast", () => {
  test("takes the effect over with a wide interval while nothing is known", () => {
    const { effect, low, high, notes, unit } = forecast()!;
    const standardError = 0.1 / Z;
    const half = Z * Math.sqrt(2 * standardError ** 2 + 0.1 ** 2);
    expect([unit, effect]).toEqual(["absolute", 0.2]);
    expect(low).toBeCloseTo(0.2 - half, 9);
    expect(high).toBeCloseTo(0.2 + half, 9);
    expect(notes).toEqual([
      "Too little is known about how rehearsals and experiments agree here (entries in the ledger: 0). The interval assumes that an experiment finds between no effect and twice the rehearsal's effect.",
      "The interval includes 0: an experiment may find nothing, however many users it has.",
    ]);
  });

  test("follows the ledger when it has enough pairs", () => {
    const { effect, low, high, notes, ledger } = forecast({ ledger: HALF })!;
    const { slope, slopeError, spread } = ledger.transfer!;
    const error = Math.hypot((slope * 0.1) / Z, 0.2 * slopeError, spread);
    expect(effect).toBeCloseTo(0.2 * slope, 12);
    expect((high - low) / 2).toBeCloseTo(studentTQuantile(0.975, 4) * error, 9);
    expect(low).toBeGreaterThan(0);
    expect(notes).toEqual([]);
    expect(forecast({ ledger: HALF, row: { effect: 0 } })!.notes).toEqual([
      "The interval includes 0: an experiment may find nothing, however many users it has.",
    ]);
  });

  test("is relative for what differs per call", () => {
    const row = {
      metric: "cost_usd",
      controlValue: 0.02,
      effect: -0.005,
      ciLow: -0.006,
      ciHigh: -0.004,
    } as const;
    const { unit, effect } = forecast({ row })!;
    expect(unit).toBe("relative");
    expect(effect).toBeCloseTo(-0.25, 12);
    const { needed } = forecast({ row, baseline: { value: 8, sd: 3 } })!;
    const arms = requiredUsers({ effect: 2, controlVariance: 9, treatmentVariance: 9, ratio: 1 })!;
    expect(needed!.users).toBe(2 * arms.control);
  });

  test.each([
    { why: "no interval", row: { ciLow: null, ciHigh: null } },
    { why: "no effect", row: { effect: null } },
    { why: "a preference without a ledger", row: { metric: "preference", controlValue: null } },
    { why: "no relative effect", row: { metric: "length", controlValue: 0 } },
  ] as const)("is null: $why", ({ row }) => {
    expect(forecast({ row, ledger: HALF })).toBeNull();
  });

  test("of a preference is in the unit of what experiments found", () => {
    const ledger = HALF.map((own) => ({ ...own, metric: "preference" as const }));
    const { effect, unit } = forecast({ row: { metric: "preference", controlValue: null }, ledger })!;
    expect([unit, effect]).toEqual(["absolute", expect.closeTo((0.2 * 0.154) / 0.31, 12)]);
  });

  test("says the users and days for its effect, and for the end of its interval", () => {
    const row = { effect: 1, ciLow: 0.99, ciHigh: 1.01 };
    const ledger = Array.from({ length: 20 }, (_, i) =>
      entry(1 + i / 10, (1 + i / 10) * (0.5 + (i % 2) / 50)),
    );
    const [plain, worse] = [row, { effect: -1, ciLow: -1.01, ciHigh: -0.99 }].map((own) =>
      forecast({ row: own, ledger, baseline: { value: 3, sd: 4 } }),
    );
    const usersFor = (effect: number) =>
      2 * requiredUsers({ effect, controlVariance: 16, treatmentVariance: 16, ratio: 1 })!.control;
    expect(plain!.needed!.users).toBe(usersFor(plain!.effect));
    expect(plain!.needed!.days).toBe(Math.ceil(usersFor(plain!.effect) / 100));
    expect(plain!.low).toBeGreaterThan(0);
    expect(plain!.neededAtWorst!.users).toBe(usersFor(plain!.low));
    expect(plain!.neededAtWorst!.users).toBeGreaterThan(plain!.needed!.users);
    expect(worse!.neededAtWorst).toEqual(plain!.neededAtWorst);
  });

  test("counts the smaller arm, and the users that every row needs", () => {
    const shares = { control: 0.8, treatment: 0.2 };
    const few = forecast({ baseline: { value: 3, sd: 0.01 }, shares, usersPerDay: null })!;
    expect(few.needed).toEqual({ users: MIN_USERS_PER_ARM / 0.2, days: null });
    const many = forecast({ baseline: { value: 3, sd: 1 }, shares })!.needed!.users;
    expect(many).toBeGreaterThan(forecast({ baseline: { value: 3, sd: 1 } })!.needed!.users);
  });

  test("plans nothing without a baseline, without an effect, or when the interval holds 0", () => {
    expect(forecast({ baseline: null })).toMatchObject({ needed: null, neededAtWorst: null });
    expect(forecast({ row: { effect: 0 } })!.needed).toBeNull();
    expect(forecast()!.neededAtWorst).toBeNull();
    expect(forecast()!.needed).not.toBeNull();
  });

  test("holds what experiments find in 95% of the cases", () => {
    let state = 11;
    const uniform = () => {
      state = (state * 16_807) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    // A rehearsal errs by 0.05, an experiment by 0.04, and 0.6 of an effect carries over, with a spread of 0.03.
    const pair = () => {
      const effect = 0.2 * normal();
      return { rehearsed: effect + 0.05 * normal(), found: 0.6 * effect + 0.03 * normal() + 0.04 * normal() };
    };
    let held = 0;
    for (let k = 0; k < 1_000; k++) {
      const ledger = Array.from({ length: 6 }, pair).map(({ rehearsed, found }) => entry(rehearsed, found));
      const { rehearsed, found } = pair();
      const row = { effect: rehearsed, ciLow: rehearsed - 0.05 * Z, ciHigh: rehearsed + 0.05 * Z };
      const { low, high } = forecast({ row, ledger })!;
      held += Number(low <= found && found <= high);
    }
    expect(held).toBeGreaterThanOrEqual(940);
  });
});
