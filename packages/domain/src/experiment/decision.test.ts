import { describe, expect, test } from "vitest";
import { faultPointers } from "../test-support/faults.ts";
import { firstExperiment, TWO_ARMS } from "../test-support/first-experiment.ts";
import type { Decision } from "./config.ts";
import type { ConfigInput } from "./make-config.ts";
import { firstVersion, nextVersion } from "./next-version.ts";

const won: Decision = { outcome: "won", variant: "b", note: null };

const changed = (from: Partial<ConfigInput>, change: Partial<ConfigInput>) =>
  nextVersion(firstExperiment(from), change, new Set()).config.decision;

describe("the decision of an experiment", () => {
  test("is null unless given", () => {
    expect(firstVersion(TWO_ARMS).config.decision).toBeNull();
    expect(firstVersion({ ...TWO_ARMS, status: "stopped", decision: won }).config.decision).toEqual(won);
  });

  test.each<{ what: string; change: Partial<ConfigInput>; after: Decision | null }>([
    { what: "stays when something else changes", change: { description: "d" }, after: won },
    { what: "is replaced", change: { decision: { ...won, note: "n" } }, after: { ...won, note: "n" } },
    { what: "is taken back", change: { decision: null }, after: null },
    { what: "stays when it is archived", change: { status: "archived" }, after: won },
    { what: "is cleared when it runs again", change: { status: "running" }, after: null },
    { what: "is cleared when it becomes a draft", change: { status: "draft" }, after: null },
  ])("$what", ({ change, after }) => {
    expect(changed({ status: "stopped", decision: won }, change)).toEqual(after);
  });

  test("stays over archiving and unarchiving, and may be written while archived", () => {
    const archived = { ...firstExperiment({ status: "stopped", decision: won }), version: 2 };
    const config = { ...archived.config, status: "archived" as const };
    const after = (change: Partial<ConfigInput>) =>
      nextVersion({ ...archived, config }, change, new Set()).config.decision;
    expect(after({ status: "stopped" })).toEqual(won);
    expect(after({ decision: { ...won, note: "later" } })).toEqual({ ...won, note: "later" });
  });

  test("can be set together with the stop", () => {
    expect(changed({ status: "running" }, { status: "stopped", decision: won })).toEqual(won);
  });

  test.each<{ change: Partial<ConfigInput>; pointers: readonly string[] }>([
    { change: { status: "running", decision: won }, pointers: ["/decision"] },
    { change: { status: "draft", decision: won }, pointers: ["/decision"] },
    { change: { status: "stopped", decision: { ...won, variant: "c" } }, pointers: ["/decision/variant"] },
    { change: { decision: { ...won, variant: "c" } }, pointers: ["/decision", "/decision/variant"] },
    { change: { status: "stopped", decision: { ...won, variant: null } }, pointers: [] },
    { change: { status: "stopped", decision: { ...won, variant: "a" } }, pointers: ["/decision/variant"] },
    { change: { status: "stopped", decision: { outcome: "lost", variant: "a", note: null } }, pointers: [] },
  ])("is refused at $pointers for $change", ({ change, pointers }) => {
    expect(faultPointers(() => firstVersion({ ...TWO_ARMS, ...change }))).toEqual(pointers);
  });

  test("names the variant that everybody gets, or none", () => {
    const ship = (shippedVariant: string, decision: Decision) =>
      faultPointers(() => changed({ status: "running" }, { status: "shipped", shippedVariant, decision }));
    expect(ship("b", won)).toEqual([]);
    expect(ship("b", { ...won, variant: null })).toEqual([]);
    expect(ship("a", won)).toEqual(["/decision/variant"]);
    const stopped = { status: "stopped", decision: won } as const;
    expect(faultPointers(() => changed(stopped, { shippedVariant: "a" }))).toEqual(["/shipped_variant"]);
    expect(faultPointers(() => changed(stopped, { status: "shipped" }))).toEqual(["/shipped_variant"]);
  });
});
