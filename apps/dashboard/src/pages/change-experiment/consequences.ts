import type { Experiment } from "../../api/types.ts";
import { percent } from "../../format/numbers.ts";
import { type Change, configOf } from "./change-of.ts";
import { type Consequence, KEEP, NOBODY_YET, NOTHING, whoFollows } from "./consequence.ts";
import { metricConsequences } from "./metric-consequences.ts";
import { sharesByVariant } from "./shares-by-variant.ts";
import { variantConsequences } from "./variant-consequences.ts";

/**
 * Lists what a change does to users (contract: a bucket that may hold a user never changes hands). `base` is the version that the change was made from.
 */
export function consequences(base: Experiment, change: Change): readonly Consequence[] {
  return [
    ...statusRows(base, change),
    ...weightRows(base, change),
    ...coverageRows(base, change),
    ...variantConsequences(base, change),
    ...metricConsequences(base, change),
    ...textRows(base, change),
  ];
}

function statusRows({ status }: Experiment, change: Change): readonly Consequence[] {
  if (change.status !== "running") return [];
  if (status === "draft") {
    const later = "Are assigned from your application's next config poll on, and then keep their variant.";
    return [{ change: "The draft starts", present: NOBODY_YET, later }];
  }
  return [
    {
      change: "The experiment resumes, and its decision is withdrawn",
      present: "Get their previous variant back with the next config poll.",
      later:
        "Are assigned by the same split. Users who came while it was stopped got control behavior, which makes differences look smaller.",
    },
  ];
}

function weightRows(base: Experiment, change: Change): readonly Consequence[] {
  if (change.allocation === undefined) return [];
  const before = sharesByVariant(configOf(base).allocation);
  const parts = [...sharesByVariant(change.allocation)].flatMap(([variant, share]) => {
    const old = before.get(variant) ?? 0;
    return Math.abs(old - share) < 1e-9 ? [] : [`${variant} ${percent(old)} → ${percent(share)}`];
  });
  if (parts.length === 0) return [];
  return [{ change: `Weights: ${parts.join(", ")}`, ...whoFollows(base, change) }];
}

function coverageRows(base: Experiment, { coverage }: Change): readonly Consequence[] {
  if (coverage === undefined) return [];
  const before = base.coverage ?? 1;
  const change = `Share of traffic: ${percent(before)} → ${percent(coverage)}`;
  if (base.status === "draft") {
    return [{ change, present: NOBODY_YET, later: `${percent(coverage)} of all users take part.` }];
  }
  return coverage > before
    ? [{ change, present: KEEP, later: "More users take part. Users who had no variant so far may get one." }]
    : [
        {
          change,
          present: KEEP,
          later:
            "No fewer users take part than now: a bucket that may hold a user stays in. To reduce traffic, disable variants or stop the experiment.",
        },
      ];
}

function textRows(base: Experiment, { name, hypothesis, description }: Change): readonly Consequence[] {
  const rows: Consequence[] = [];
  if (name !== undefined) {
    rows.push({
      change: `Name: ${base.name} → ${name}`,
      present: "Keep their variant, once your code uses the new name.",
      later: `Code that uses the name “${base.name}” gets no variant any more: change it at the same time. Code that uses the id is not affected.`,
    });
  }
  if (hypothesis !== undefined) rows.push({ change: "Hypothesis", present: NOTHING, later: NOTHING });
  if (description !== undefined) rows.push({ change: "Description", present: NOTHING, later: NOTHING });
  return rows;
}
