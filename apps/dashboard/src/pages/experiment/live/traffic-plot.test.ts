import { expect, test } from "vitest";
import { timeLabel } from "./traffic-plot.ts";

test.each([
  ["2026-11-27T00:00:00Z", "27 Nov"],
  ["2026-11-27T18:00:00Z", "18:00"],
  ["2026-11-27T00:05:00Z", "00:05"],
])("a tick at %s is %s", (at, label) => expect(timeLabel(new Date(at))).toBe(label));
