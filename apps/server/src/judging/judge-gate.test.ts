import { expect, test } from "vitest";
import { CONCURRENCY, JudgeGate, PROBE_MS } from "./judge-gate.ts";

function openGate() {
  let now = 1_000_000;
  const gate = new JudgeGate({ now: () => now }, CONCURRENCY);
  return {
    gate,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test("a rate limit stops everything for as long as the endpoint says, then one goes ahead and each answer lets one more through", () => {
  const { gate, pass } = openGate();
  expect(gate.width).toBe(CONCURRENCY);
  gate.rateLimited(7_000);
  gate.rateLimited(3_000);
  pass(6_999);
  expect(gate.width).toBe(0);
  pass(1);
  expect(gate.width).toBe(1);
  gate.answered();
  gate.answered();
  expect(gate.width).toBe(3);
  for (let answer = 0; answer < 2 * CONCURRENCY; answer++) gate.answered();
  expect(gate.width).toBe(CONCURRENCY);
  expect(gate.fault).toBeNull();
});

test("an endpoint that does not say how long is left alone longer each time, until it answers", () => {
  const { gate, pass } = openGate();
  const pauseMs = () => {
    gate.rateLimited(null);
    gate.rateLimited(null); // A second request that was under way: no pause of its own.
    let waited = 0;
    for (; gate.width === 0; waited += 500) pass(500);
    return waited;
  };
  expect([pauseMs(), pauseMs(), pauseMs(), pauseMs(), pauseMs(), pauseMs()]).toEqual([
    2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ]);
  gate.answered();
  expect(pauseMs()).toBe(2_000);
});

test("an absurd wish waits an hour", () => {
  const { gate, pass } = openGate();
  gate.rateLimited(1e12);
  pass(3_600_000);
  expect(gate.width).toBe(1);
});

test("a fault lasts until a probe is answered, and says since when", () => {
  const { gate, pass } = openGate();
  gate.faulted("No such model.");
  const since = gate.fault?.since;
  pass(PROBE_MS);
  expect(gate.width).toBe(1);
  gate.failed("It does not answer.");
  expect(gate.width).toBe(0);
  expect(gate.fault).toEqual({ detail: "It does not answer.", since });
  pass(PROBE_MS);
  gate.answered();
  expect(gate.fault).toBeNull();
});

test("failures in a row are the endpoint's fault, failures between answers are not", () => {
  const { gate } = openGate();
  for (let failure = 1; failure < CONCURRENCY; failure++) gate.failed("500");
  gate.answered();
  for (let failure = 1; failure < CONCURRENCY; failure++) gate.failed("500");
  expect(gate.fault).toBeNull();
  gate.failed("500");
  expect(gate.fault?.detail).toBe("500");
  expect(gate.width).toBe(0);
});
