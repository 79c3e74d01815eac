import fc from "fast-check";
import { expect, test } from "vitest";
import { createRefusalWindows, type Refusal } from "./refusal-windows.ts";

const SCOPE = { name: "security.credential.refused", orgId: "org", network: "192.0.2.1" } as const;

const refusal = (change: Partial<Refusal> = {}): Refusal => ({
  name: "security.credential.refused",
  orgId: "org",
  actor: "a",
  network: "192.0.2.1",
  route: "GET /v1/keys",
  reason: "invalid-credential",
  ...change,
});

test("the first refusal of an event, org and network is reported, the rest are counted", () => {
  const windows = createRefusalWindows();
  const sent = [
    refusal(),
    refusal(),
    refusal({ network: "192.0.2.2" }),
    refusal({ orgId: null }),
    refusal({ name: "security.permission.refused" }),
    refusal(),
  ];
  expect(sent.map((one) => windows.open(one))).toEqual([true, false, true, true, true, false]);
  expect(windows.close()).toEqual([{ ...SCOPE, leftOut: 2 }]);
  expect(windows.open(refusal())).toBe(true);
  expect(windows.close()).toEqual([]);
});

test("networks beyond 50 share a window and do not affect other orgs", () => {
  const windows = createRefusalWindows();
  const reported = Array.from({ length: 1_000 }, (_, n) => windows.open(refusal({ network: `n${n}` })));
  expect(reported.filter(Boolean)).toHaveLength(51);
  expect(windows.open(refusal({ network: "n0" }))).toBe(false);
  expect(windows.open(refusal({ orgId: "other" }))).toBe(true);
  expect(windows.close()).toEqual([
    { ...SCOPE, network: "n0", leftOut: 1 },
    { ...SCOPE, network: null, leftOut: 949 },
  ]);
});

test("after the windows have ended, 50 networks are told apart again", () => {
  const windows = createRefusalWindows();
  const sendFrom = (begin: number) =>
    Array.from({ length: 50 }, (_, n) => windows.open(refusal({ network: `n${begin + n}` })));
  expect(sendFrom(0)).not.toContain(false);
  windows.close();
  expect(sendFrom(50)).not.toContain(false);
});

test("memory stays bounded for any number of orgs and networks, and the counts stay complete", () => {
  const some = fc.record({ org: fc.nat(3_000), network: fc.nat(100) });
  fc.assert(
    fc.property(fc.array(some, { minLength: 3_000, maxLength: 4_000 }), (sent) => {
      const windows = createRefusalWindows();
      const reported = sent.filter(({ org, network }) =>
        windows.open(refusal({ orgId: `o${org}`, network: `n${network}` })),
      ).length;
      const leftOut = windows.close().reduce((sum, one) => sum + one.leftOut, 0);
      expect(reported).toBeLessThanOrEqual(2_001);
      expect(reported + leftOut).toBe(sent.length);
    }),
    { numRuns: 10 },
  );
});
