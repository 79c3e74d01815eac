import { type ArmHealth, type Finding, withoutSnapshot } from "@assay/domain";
import type { Mutable } from "../../mutable.ts";
import { compareBytes } from "../sql/compare-bytes.ts";
import { type EventGroup, type FirstExposureFacts, firstOf, isMarked, MOST_NAMES } from "./event-groups.ts";
import { isEligible } from "./event-kind.ts";

const MODELS_PER_ARM = 50;

type Fault = keyof { [K in keyof ArmHealth as ArmHealth[K] extends Finding ? K : never]: K };

type ArmCounts = Mutable<Omit<ArmHealth, Fault | "models">> & {
  readonly faults: Record<Fault, Mutable<Finding>>;
  readonly models: Map<string, { calls: number; unpricedCalls: number }>;
};

/** Counts the quality of an experiment's events, user by user. */
export class HealthCounts {
  /** A Map, because an arm may be named like a property that all objects have. */
  readonly #configuredModels: ReadonlyMap<string, string>;
  readonly #arms = new Map<string, ArmCounts>();

  constructor(configuredModels: Readonly<Record<string, string>>) {
    this.#configuredModels = new Map(Object.entries(configuredModels));
  }

  /** Adds a user: the first exposure, if there is one, and all events. */
  add(first: FirstExposureFacts | null, groups: readonly EventGroup[]): void {
    const arm = this.#armOf(first?.variant ?? "");
    if (first !== null) arm.users += 1;
    for (const group of groups) this.#addGroup(arm, group);
    if (first?.isContaminated !== true) return;
    const others = groups.filter(({ kind }) => isEligible(kind) && kind.variant !== first.variant);
    find(arm, "severalVariants", 1, firstOf(others));
  }

  #addGroup(arm: ArmCounts, group: EventGroup): void {
    const { events, firstAt } = group;
    const { type, variant } = group.kind;
    const isCompleted = isMarked(group, "completed");
    const found = (fault: Fault, isFaulty: boolean) => {
      if (isFaulty) find(arm, fault, events, firstAt);
    };
    arm.events += events;
    if (type === "model_call") arm.calls += events;
    if (isCompleted) this.#addCompleted(arm, group);
    found("missingUsage", isMarked(group, "missingUsage"));
    found("unpriced", isMarked(group, "unpriced"));
    found("errors", type === "model_call" && !isCompleted);
    found("truncated", isMarked(group, "truncated"));
    found("cutStreams", isMarked(group, "cutStreams"));
    found("late", isMarked(group, "late"));
    found("future", isMarked(group, "future"));
    found("testEvents", isEligible(group.kind) && isMarked(group, "test"));
    found("variantConflicts", type !== "exposure" && variant !== "" && arm.arm !== "" && variant !== arm.arm);
  }

  #addCompleted(arm: ArmCounts, group: EventGroup): void {
    const { events, inputTokens, cachedInputTokens } = group;
    const { model, requestedModel } = group.kind;
    arm.completedCalls += events;
    if (isMarked(group, "reportsCached")) {
      arm.inputTokens += inputTokens;
      arm.cachedInputTokens += cachedInputTokens;
    }
    if (model === "") return;
    const expected = this.#configuredModels.get(arm.arm) || requestedModel;
    if (expected !== "") {
      arm.callsWithModel += events;
      if (model !== expected && comparable(model) !== comparable(expected))
        find(arm, "otherModel", events, group.firstAt);
    }
    const known = arm.models.get(model) ?? { calls: 0, unpricedCalls: 0 };
    known.calls += events;
    if (isMarked(group, "unpriced")) known.unpricedCalls += events;
    if (arm.models.size < MOST_NAMES || arm.models.has(model)) arm.models.set(model, known);
  }

  #armOf(arm: string): ArmCounts {
    const known = this.#arms.get(arm);
    if (known !== undefined) return known;
    const counts: ArmCounts = {
      ...{ arm, users: 0, events: 0, calls: 0, completedCalls: 0, callsWithModel: 0 },
      ...{ inputTokens: 0, cachedInputTokens: 0, models: new Map() },
      faults: {
        missingUsage: none(),
        unpriced: none(),
        errors: none(),
        truncated: none(),
        cutStreams: none(),
        otherModel: none(),
        late: none(),
        future: none(),
        severalVariants: none(),
        variantConflicts: none(),
        testEvents: none(),
      },
    };
    this.#arms.set(arm, counts);
    return counts;
  }

  /** Returns the counts, sorted by arm. */
  finish(): readonly ArmHealth[] {
    const arms = [...this.#arms.values()].sort((a, b) => compareBytes(a.arm, b.arm));
    return arms.map(({ faults, models, ...counts }) => ({
      ...counts,
      ...faults,
      models: [...models]
        .map(([model, calls]) => ({ model, ...calls }))
        .sort((a, b) => b.calls - a.calls || compareBytes(a.model, b.model))
        .slice(0, MODELS_PER_ARM),
    }));
  }
}

const none = (): Mutable<Finding> => ({ count: 0, since: null });

function find({ faults }: ArmCounts, fault: Fault, count: number, at: number): void {
  const found = faults[fault];
  found.count += count;
  found.since = Math.min(at, found.since ?? at);
}

/** Normalizes a model's name for comparison: lower case, without a provider's prefix and a snapshot's date or `latest`. */
function comparable(model: string): string {
  const bare = model.toLowerCase();
  return withoutSnapshot(bare.slice(bare.lastIndexOf("/") + 1)).replace(/[-@]latest$/, "");
}
