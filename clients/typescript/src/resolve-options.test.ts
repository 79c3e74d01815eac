import { afterEach, expect, test, vi } from "vitest";
import { resolveOptions, scheduleTimer } from "./resolve-options.ts";

afterEach(() => vi.restoreAllMocks());

test.each([
  { asked: 1_500, set: 1_500 },
  { asked: -1, set: 0 },
  { asked: Number.NaN, set: 0 },
  // setTimeout would run these at once.
  { asked: 2 ** 31, set: 2 ** 31 - 1 },
  { asked: Number.POSITIVE_INFINITY, set: 2 ** 31 - 1 },
])("a delay of $asked ms is a timer of $set ms", ({ asked, set }) => {
  const setTimer = vi.spyOn(globalThis, "setTimeout");
  scheduleTimer(asked, () => {})();
  expect(setTimer.mock.calls[0]?.[1]).toBe(set);
});

test("a cancelled task does not run", async () => {
  const ran: string[] = [];
  const cancel = scheduleTimer(0, () => ran.push("cancelled"));
  cancel();
  await new Promise<void>((resolve) => {
    scheduleTimer(1, resolve, true);
  });
  expect(ran).toEqual([]);
});

test("a missing base address is logged in one line, with the address in use", () => {
  const lines: string[] = [];
  const log = {
    warn: (line: string) => void lines.push(line),
    error: (line: string) => void lines.push(line),
  };
  const open = (baseUrl?: string) => resolveOptions({ apiKey: "svc_pk_1", log, ...(baseUrl && { baseUrl }) });
  vi.stubEnv("ASSAY_BASE_URL", "http://set.invalid");
  expect([open().baseUrl, open("http://given.invalid/").baseUrl]).toEqual([
    "http://set.invalid",
    "http://given.invalid",
  ]);
  expect(lines).toEqual([]);
  vi.stubEnv("ASSAY_BASE_URL", undefined);
  const { baseUrl } = open();
  expect(lines).toEqual([`[assay] neither baseUrl nor ASSAY_BASE_URL is set: using ${baseUrl}`]);
  vi.unstubAllEnvs();
});
