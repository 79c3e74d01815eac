import { describe, expect, test } from "vitest";
import { DomainError } from "../problem.ts";
import { EXPERIMENT_STATUSES, type ExperimentStatus } from "./config.ts";
import { checkStatusChange, rejectDeletion } from "./life-cycle.ts";
import type { ConfigInput } from "./make-config.ts";
import { firstVersion, nextVersion } from "./next-version.ts";

const input: ConfigInput = {
  name: "e",
  salt: "s",
  bucketCount: 100,
  allocation: [
    { variant: "a", weight: 1 },
    { variant: "b", weight: 1 },
  ],
  metrics: [],
};
const experimentOf = (status: ExperimentStatus, isDemo = false) => {
  const { config, bucketMap } = firstVersion(input);
  const times = { servedAt: null, createdAt: 0, updatedAt: 0 };
  return { id: "e1", orgId: "o", version: 1, bucketMap, isDemo, ...times, config: { ...config, status } };
};

function errorOf(run: () => unknown): DomainError | null {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

describe("the status", () => {
  const REFUSED: readonly (readonly [ExperimentStatus | null, ExperimentStatus])[] = [
    [null, "archived"],
    ["running", "archived"],
    ["archived", "draft"],
    ["archived", "running"],
    ["archived", "shipped"],
    [null, "shipped"],
    ["draft", "shipped"],
    ["shipped", "draft"],
    ["shipped", "running"],
    ["shipped", "archived"],
  ];
  const changes = [null, ...EXPERIMENT_STATUSES].flatMap((from) =>
    EXPERIMENT_STATUSES.map((to) => ({
      from,
      to,
      pointers: REFUSED.some(([before, after]) => before === from && after === to) ? ["/status"] : [],
    })),
  );

  test.each(changes)("from $from to $to: $pointers", ({ from, to, pointers }) => {
    expect(checkStatusChange(from, to).map(({ pointer }) => pointer)).toEqual(pointers);
  });

  test("is checked with the other rules, for a new experiment and for a change", () => {
    const created = errorOf(() => firstVersion({ ...input, status: "archived" }));
    const changed = errorOf(() =>
      nextVersion(experimentOf("running"), { status: "archived", salt: "other" }, new Set()),
    );
    expect(created?.faults.map(({ pointer }) => pointer)).toEqual(["/status"]);
    expect(changed?.faults.map(({ pointer }) => pointer)).toEqual(["/salt", "/status"]);
    expect(changed?.faults[1]?.detail).toContain('set the status to "stopped" first');
  });
});

describe("an experiment can be deleted", () => {
  test.each<{ status: ExperimentStatus; isDemo?: boolean; says: string | null }>([
    { status: "draft", says: null },
    { status: "archived", says: null },
    { status: "running", says: "stop it, archive it, then delete it" },
    { status: "stopped", says: "archive it, then delete it" },
    { status: "shipped", says: "stop it, archive it, then delete it" },
    { status: "running", isDemo: true, says: "DELETE /v1/demo" },
    { status: "archived", isDemo: true, says: "DELETE /v1/demo" },
  ])("$status, demo $isDemo: unless $says", ({ status, isDemo, says }) => {
    const error = errorOf(() => rejectDeletion(experimentOf(status, isDemo)));
    expect(error?.kind ?? null).toBe(says === null ? null : "experiment-not-deletable");
    expect(error?.message ?? "").toContain(says ?? "");
  });
});
