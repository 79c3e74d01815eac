import { afterEach, expect, test, vi } from "vitest";
import { uuidv7 } from "./uuidv7.ts";

const SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

afterEach(() => vi.unstubAllGlobals());

test.each([
  { name: "a known instant (RFC 9562, appendix A.6)", at: 0x017f22e279b0, start: "017f22e2-79b0-7" },
  { name: "the epoch", at: 0, start: "00000000-0000-7" },
  { name: "the last instant", at: 2 ** 48 - 1, start: "ffffffff-ffff-7" },
  { name: "an instant too late", at: 1e300, start: "ffffffff-ffff-7" },
  { name: "an instant before 1970", at: -1, start: "00000000-0000-7" },
  { name: "no instant", at: Number.NaN, start: "00000000-0000-7" },
])("uuidv7 carries $name", ({ at, start }) => {
  const id = uuidv7(at);
  expect(id).toMatch(SHAPE);
  expect(id.startsWith(start)).toBe(true);
});

test.each([
  { name: "crypto", crypto: globalThis.crypto },
  { name: "no crypto, as in Node 18", crypto: undefined },
  { name: "a page without TLS", crypto: {} },
])("uuidv7 does not repeat with $name", ({ crypto }) => {
  vi.stubGlobal("crypto", crypto);
  const ids = Array.from({ length: 10_000 }, () => uuidv7(1_700_000_000_000));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => SHAPE.test(id))).toBe(true);
});
