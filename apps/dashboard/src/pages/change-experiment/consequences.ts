import type { Experiment, MetricDefinition } from "../../api/types.ts";
import { sharesByWeight } from "../../format/allocation.ts";
import { DEFAULT_SAMPLE_RATE } from "../../format/judge-words.ts";
import { isJudged } from "../../format/metric-words.ts";
import { percent } from "../../format/numbers.ts";
import { type Change, configOf } from "./change-of.ts";

/** What a change means for users. */
export interface Consequence {
  readonly change: string;
  /** For users who have a variant. */
  readonly present: string;
  /** For new users. */
  readonly later: string;
}

export const NOBODY_YET = "Nobody has a variant yet.";
export const KEEP = "Keep their variant.";
export const NOTHING = "No change.";

/** Which users new weights can reach. */
export function whoFollows(base: Experiment, { coverage }: Change): Pick<Consequence, "present" | "later"> {
  if (base.status === "draft") return { present: NOBODY_YET, later: "All are split by the new weights." };
  const added = (coverage ?? 0) - takenShare(base);
  const later =
    added > 1e-9
      ? `Only the newly covered ${percent(added)} of the traffic is split by the new weights. Every other bucket may already be in use and stays as it is.`
      : "Split as before. Every covered bucket may already be in use, so the new weights apply only to traffic that you add by raising the share of traffic.";
  return { present: KEEP, later };
}

/** The share of all buckets that variants own now. */
function takenShare({ effective_allocation }: Experiment): number {
  return Object.values(effective_allocation).reduce((sum, share) => sum + share, 0);
}

/**
 * Lists what a change does to users (contract: a bucket that may hold a user never changes owner). `base` is the version that the change started from.
 */
export function consequences(base: Experiment, change: Change, isExposed = false): readonly Consequence[] {
  return [
    ...statusRows(base, change),
    ...weightRows(base, change),
    ...coverageRows(base, change),
    ...flagRows(change),
    ...variantConsequences(base, change),
    ...qaUserRows(change),
    ...visibilityRows(base, change),
    ...metricConsequences(base, change),
    ...planRows(change, isExposed),
    ...textRows(base, change),
  ];
}

function statusRows({ status, flag_key }: Experiment, change: Change): readonly Consequence[] {
  if (change.status !== "running") return [];
  const flag = change.flag_key === undefined ? flag_key : change.flag_key;
  if (flag)
    return [
      {
        change:
          status === "draft" ? "The draft starts" : "The experiment resumes, and its decision is withdrawn",
        present: `Keep the variant that the flag ${flag} gives them.`,
        later: "Count from their first exposure on.",
      },
    ];
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
  const before = sharesByWeight(configOf(base).allocation);
  const parts = [...sharesByWeight(change.allocation)].flatMap(([variant, share]) => {
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
    return [{ change, present: NOBODY_YET, later: `${percent(coverage)} of the traffic takes part.` }];
  }
  return coverage > before
    ? [
        {
          change,
          present: KEEP,
          later: "More traffic takes part. Users who had no variant so far may get one.",
        },
      ]
    : [
        {
          change,
          present: KEEP,
          later:
            "The traffic does not shrink: a bucket that may be in use stays in. To reduce traffic, disable variants or stop the experiment.",
        },
      ];
}

/** Only a draft's flag key changes. */
function flagRows({ flag_key }: Change): readonly Consequence[] {
  if (flag_key === undefined) return [];
  const change =
    flag_key === null ? "No flag of another system" : `The flag ${flag_key} assigns the variants`;
  const later =
    flag_key === null
      ? "Get their variant from Assay."
      : "Get their variant from that flag, and none from Assay. Exposures must name it.";
  return [{ change, present: NOBODY_YET, later }];
}

function qaUserRows({ qa_users }: Change): readonly Consequence[] {
  if (qa_users === undefined) return [];
  const listed = Object.values(qa_users).flat().length;
  return [
    {
      change: `QA users: ${listed === 0 ? "none" : listed}`,
      present:
        "Listed users get that variant from the next config poll on and are left out of every later run. Users taken off the list get the variant of their bucket again. No change for anybody else.",
      later: NOTHING,
    },
  ];
}

function visibilityRows({ status }: Experiment, { visibility }: Change): readonly Consequence[] {
  if (visibility === undefined) return [];
  const isHidden = visibility === "server";
  const change = isHidden
    ? "Only servers get prompts and variables"
    : "Every client gets prompts and variables";
  if (status === "draft") {
    const later = isHidden
      ? "Clients with the publishable key use your code's defaults."
      : "Anyone who uses your application can read the texts.";
    return [{ change, present: NOBODY_YET, later }];
  }
  return [
    {
      change,
      present: isHidden
        ? "Keep their variant. From the next config poll on, clients with the publishable key use your code's defaults, on servers too: give servers the secret key first."
        : "Keep their variant. From the next config poll on, every client gets the texts, and anyone who uses your application can read them.",
      later: "Same. Results combine users from before and after the change.",
    },
  ];
}

function planRows({ plan }: Change, isExposed: boolean): readonly Consequence[] {
  if (plan === undefined) return [];
  const later = isExposed ? "No change. The results will say that the plan was changed, and why." : NOTHING;
  return [{ change: "Decision plan", present: isExposed ? KEEP : NOTHING, later }];
}

function textRows(base: Experiment, { name, hypothesis, description }: Change): readonly Consequence[] {
  const rows: Consequence[] = [];
  if (name !== undefined) {
    rows.push({
      change: `Name: ${base.name} → ${name}`,
      present: KEEP,
      later: `Code that uses the name “${base.name}” keeps working until another experiment takes that name. Code that uses the id is not affected.`,
    });
  }
  if (hypothesis !== undefined) rows.push({ change: "Hypothesis", present: NOTHING, later: NOTHING });
  if (description !== undefined) rows.push({ change: "Description", present: NOTHING, later: NOTHING });
  return rows;
}

type SentVariant = NonNullable<Change["variants"]>[number];

/** Lists what changed variants and a changed control do to users. */
function variantConsequences(base: Experiment, change: Change): readonly Consequence[] {
  const before = configOf(base);
  const old = new Map((before.variants ?? []).map((variant) => [variant.key, variant]));
  const after = change.variants ?? before.variants ?? [];
  const keys = new Set(after.map(({ key }) => key));
  const removed = [...old.keys()].filter((key) => !keys.has(key));
  return [
    ...after.flatMap((variant) => {
      const was = old.get(variant.key);
      return was === undefined ? [addedRow(variant.key, base, change)] : rowsOf(was, variant, base);
    }),
    ...removed.map((key) => ({
      change: `${key} is removed`,
      present:
        base.status === "draft"
          ? NOBODY_YET
          : "If any user may have it, the service refuses to remove it. Disable it instead.",
      later: "Do not get it.",
    })),
    ...(change.control === undefined || change.control === before.control
      ? []
      : [{ change: `Control: ${before.control} → ${change.control}`, present: NOTHING, later: COMPARED }]),
  ];
}

const COMPARED = "No change. From the next run on, every comparison is with the new control.";

function addedRow(key: string, base: Experiment, change: Change): Consequence {
  const { present, later } = whoFollows(base, change);
  return {
    change: `${key} is new`,
    present: base.status === "draft" ? present : `${KEEP} None of them moves to ${key}.`,
    later,
  };
}

function rowsOf(was: SentVariant, now: SentVariant, { status }: Experiment): readonly Consequence[] {
  const isDraft = status === "draft";
  const rows: Consequence[] = [];
  if (was.enabled !== now.enabled) rows.push(enabledRow(now, isDraft));
  const parts = [
    ...(was.prompt === now.prompt ? [] : ["prompt"]),
    ...(JSON.stringify(was.variables) === JSON.stringify(now.variables) ? [] : ["variables"]),
  ];
  if (parts.length > 0) {
    rows.push({
      change: `${now.key}: new ${parts.join(" and ")}`,
      present: isDraft
        ? NOBODY_YET
        : `All users of ${now.key} get it with your application's next config poll.`,
      later: isDraft
        ? "Get it from the start."
        : "Get it too. Results combine users of the old and the new text. For a clean comparison, create a new experiment.",
    });
  }
  if (was.description !== now.description)
    rows.push({ change: `${now.key}: description`, present: NOTHING, later: NOTHING });
  return rows;
}

function enabledRow({ key, enabled }: SentVariant, isDraft: boolean): Consequence {
  if (enabled === false) {
    return {
      change: `${key} is disabled`,
      present: isDraft
        ? NOBODY_YET
        : `Users of ${key} get control behavior from the next config poll on. They keep their bucket: when you enable it again, they get ${key} again.`,
      later: `Users whose bucket belongs to ${key} get control behavior. Its buckets go to no other variant.`,
    };
  }
  return {
    change: `${key} is enabled`,
    present: isDraft ? NOBODY_YET : `Users of ${key} get it again with the next config poll.`,
    later: `Users whose bucket belongs to ${key} get it.`,
  };
}

const JUDGED_ANEW =
  "New answers are drawn and judged, which uses up the plan's allowance. Existing scores and labels stay with the old version.";

/** Lists the effects of changed metrics: none on users, some on results. */
function metricConsequences(base: Experiment, { metrics }: Change): readonly Consequence[] {
  if (metrics === undefined) return [];
  const old = new Map(configOf(base).metrics.map((metric) => [metric.name, metric]));
  const kept = new Set(metrics.map(({ name }) => name));
  return [
    ...metrics.flatMap((metric) => rowOf(old.get(metric.name), metric)),
    ...[...old.keys()]
      .filter((name) => !kept.has(name))
      .map((name) => row(`${name} is removed`, "The next run no longer computes it. Stored runs keep it.")),
  ];
}

function rowOf(was: MetricDefinition | undefined, now: MetricDefinition): readonly Consequence[] {
  if (was === undefined) {
    const later = "The next run computes it over all stored data since the start.";
    return [row(`${now.name} is new`, later)];
  }
  if (was.metric_version !== now.metric_version) {
    const change = `${now.name} measures something else: version ${was.metric_version} → ${now.metric_version}, set for you`;
    const joined = "A new series starts. Stored runs keep the old one; the two are not combined.";
    return [row(change, isJudged(now) ? `${joined} ${JUDGED_ANEW}` : joined)];
  }
  if (was.shared_org_wide !== now.shared_org_wide) {
    return now.shared_org_wide
      ? [row(`${now.name} is shared`, "Other experiments can use it. Change it on its own page from now on.")]
      : [row(`${now.name} is this experiment's own`, "Changes to the shared metric no longer reach it.")];
  }
  if (was.role !== now.role) {
    const later =
      "This changes which metric decides after results may have been seen. Explain why in the description.";
    return [row(`${now.name}: ${was.role} → ${now.role}`, later)];
  }
  const rates = [was, now].map(({ judge }) => judge?.sample_rate ?? DEFAULT_SAMPLE_RATE);
  if (isJudged(now) && rates[0] !== rates[1]) {
    const change = `${now.name}: ${rates.map((rate) => percent(rate)).join(" → ")} of the calls are judged`;
    return [row(change, "Applies from the next day that is drawn. Scores stay comparable.")];
  }
  return JSON.stringify(was) === JSON.stringify(now)
    ? []
    : [row(`${now.name}: test settings`, "The next run uses them. Results stay comparable.")];
}

function row(change: string, results: string): Consequence {
  return { change, present: NOTHING, later: `${NOTHING} ${results}` };
}
