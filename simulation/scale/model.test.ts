import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { costOf } from "./cost.ts";
import { INPUTS, type InputName, valuesOf } from "./inputs.ts";
import { breaksAt, LIMITS } from "./limits.ts";
import { nightOf, ratesOf } from "./rates.ts";
import { effectsOf } from "./sensitivity.ts";
import { sizeDeployment, storedBytes } from "./size-deployment.ts";

const deploymentAt = (change: Parameters<typeof valuesOf>[0]) => sizeDeployment(valuesOf(change));
const vcpusOf = (change: Parameters<typeof valuesOf>[0]) =>
  deploymentAt(change).roles.reduce((sum, { machines, vcpus }) => sum + machines * vcpus, 0);

describe("the inputs", () => {
  test.each(Object.entries(INPUTS))("%s is within its range and has a description", (_, input) => {
    expect(input.low).toBeLessThanOrEqual(input.value);
    expect(input.value).toBeLessThanOrEqual(input.high);
    expect(input.meaning.length).toBeGreaterThan(5);
  });
});

describe("the rates of a day", () => {
  test("equal a computation by hand", () => {
    const rates = ratesOf(
      valuesOf({ eventsPerDay: 864e6, peakToMean: 2, burstToPeak: 3, eventsPerRequest: 10 }),
    );
    expect(rates).toMatchObject({ mean: 10_000, peak: 20_000, burst: 60_000, burstMessages: 6_000 });
  });

  test("give the stream's measured rates for the measured messages", () => {
    const messagesOf = (bytes: number) =>
      ratesOf(valuesOf({ eventBytes: bytes, eventsPerRequest: 1 })).streamMessages;
    expect(messagesOf(433) / 23_200).toBeCloseTo(1, 1);
    expect(messagesOf(20_000) / 4_480).toBeCloseTo(1, 1);
  });

  test("give the engine's measured time for the measured night", () => {
    const measured = { eventsPerOrgDay: 7e5, experimentsPerOrg: 20, experimentDays: 14, eventsPerUnit: 20 };
    const { engineCoreHours, experiments } = nightOf(valuesOf({ eventsPerDay: 7e5, ...measured }));
    expect((engineCoreHours * 3_600) / 6.3).toBeCloseTo(1, 1);
    expect(experiments).toBe(20);
  });

  test("give the largest of many orgs the share of its rank", () => {
    const largest = (orgs: number) => nightOf(valuesOf({ eventsPerDay: orgs * 1e6 })).largestShare;
    expect(largest(1)).toBe(1);
    expect(largest(3)).toBeCloseTo(1 / (1 + 1 / 2 + 1 / 3), 12);
    expect(largest(1_001) / largest(1_000)).toBeCloseTo(1, 3);
  });
});

describe("the size of a deployment", () => {
  test("survives the loss of a machine of any role", () => {
    for (const { name, machines } of deploymentAt({ eventsPerDay: 1 }).roles) {
      expect([name, machines >= 2]).toEqual([name, true]);
    }
  });

  test("stores the measured number of bytes", () => {
    const values = valuesOf({ eventsPerDay: 1, rawDays: 10, analysisDays: 20, idDays: 30 });
    const { eventBytes, rawRatio, analysisBytes, idBytes } = values;
    expect(storedBytes(values)).toBeCloseTo(
      10 * eventBytes * rawRatio + 20 * analysisBytes + 30 * idBytes,
      6,
    );
  });

  test("never shrinks when the load grows", () => {
    const more = ["eventsPerDay", "eventBytes", "burstToPeak", "rawDays", "idDays", "engineEventUs"] as const;
    fc.assert(
      fc.property(
        fc.constantFrom<InputName>(...more),
        fc.double({ min: 1, max: 100, noNaN: true }),
        fc.double({ min: 6, max: 10, noNaN: true }),
        (name, factor, power) => {
          const change = { eventsPerDay: 10 ** power };
          const values = valuesOf(change);
          expect(vcpusOf({ ...change, [name]: values[name] * factor })).toBeGreaterThanOrEqual(
            vcpusOf(change),
          );
        },
      ),
    );
  });
});

test("a bill is the sum of its parts, and is 0 for prices of 0", () => {
  const values = valuesOf();
  const { total, perMillionEvents, ...parts } = costOf(sizeDeployment(values), values);
  expect(parts.compute + parts.disks + parts.network + parts.backup).toBeCloseTo(total, 6);
  expect((perMillionEvents * values.eventsPerDay * 365) / 12 / 1e6).toBeCloseTo(total, 6);
  const free = { vcpuHour: 0, ssdGiBMonth: 0, crossZoneGiB: 0, ingressGiB: 0, backupGiBMonth: 0 };
  expect(costOf(sizeDeployment(values), { ...values, ...free }).total).toBe(0);
});

test("a limit is reached at the stated volume, and not below", () => {
  for (const limit of LIMITS) {
    const at = breaksAt(limit, 1);
    if (at === null) throw new Error(`${limit.name} is never reached on one server.`);
    expect(limit.load(valuesOf({ eventsPerDay: at * 1.001 }), 1)).toBeGreaterThan(1);
    expect(limit.load(valuesOf({ eventsPerDay: at / 1.05 }), 1)).toBeLessThan(1.05);
  }
});

test("the effects are ordered by swing, largest first", () => {
  const swings = effectsOf(1e9).map(({ dollars: [low, high] }) => Math.abs(high - low));
  expect(swings.length).toBeGreaterThan(10);
  expect(swings).toEqual(swings.toSorted((a, b) => b - a));
});
