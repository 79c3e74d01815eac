import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { ExperimentOverview } from "../../api/types.ts";
import { armColors } from "../../charts/arms.ts";
import { IntervalBar, type IntervalScale } from "../../charts/IntervalBar.tsx";
import { isolated } from "../../format/isolated.ts";
import { count, counted, percent } from "../../format/numbers.ts";
import { STATES, usersOf } from "../../format/states.ts";
import { countedUnits } from "../../format/unit-words.ts";
import { StateBadge } from "../../ui/Badge.tsx";
import { Time } from "../../ui/Time.tsx";
import { DemoTag } from "./Demo.tsx";
import { healthOf, healthWord } from "./list-filter.ts";
import { nextStep } from "./next-step.ts";
import {
  hasInterval,
  observedSplit,
  primaryTone,
  primaryWords,
  progressWords,
  tradeoffWords,
} from "./row-words.ts";

interface ExperimentRowProps {
  readonly item: ExperimentOverview;
  readonly index: number;
  readonly scale: IntervalScale;
  readonly measure: (row: Element | null) => void;
}

/** One experiment at a glance, memoized for scrolling. */
export const ExperimentRow = memo(function ExperimentRow({
  item,
  index,
  scale,
  measure,
}: ExperimentRowProps) {
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      className={item.needs_attention ? "experiments-row needs-attention" : "experiments-row"}
    >
      <th scope="row" className="col-name">
        <Name item={item} />
      </th>
      <td className="col-state" title={STATES[item.state].word}>
        <StateBadge state={item.state} />
      </td>
      <td className="col-split">
        <SplitBar item={item} />
      </td>
      <td className="col-primary">
        <Primary item={item} scale={scale} />
      </td>
      <td className="col-progress" title={progressWords(item) ?? "No run has followed a decision plan yet."}>
        <span className="experiments-words">{progressWords(item) ?? <None>–</None>}</span>
      </td>
      <td
        className="col-users numeric"
        title={`${countedUnits(usersOf(item), item.unit, item.users_of_units)}, ${counted(item.exposures, "exposure")}`}
      >
        {count(usersOf(item))}
      </td>
      <td className="col-health">
        <Health item={item} />
      </td>
      <td className="col-analyzed">
        <LastRun item={item} />
      </td>
      <td className="col-next">
        <Next item={item} />
      </td>
    </tr>
  );
});

function None({ children }: { readonly children: string }) {
  return <small>{children}</small>;
}

function Name({ item: { id, name, tags, is_demo, created_by } }: { readonly item: ExperimentOverview }) {
  return (
    <>
      <Link
        to="/experiments/$id"
        params={{ id }}
        className="experiments-name"
        title={created_by === null ? name : `${name}, by ${created_by.name}`}
      >
        {name}
      </Link>{" "}
      {is_demo ? <DemoTag /> : null}
      {tags.length === 0 ? null : (
        <span className="experiments-tags" title={`Tags: ${tags.join(", ")}`}>
          {tags.join(" · ")}
        </span>
      )}
    </>
  );
}

/** What to do about it, where somebody should act. */
function Next({ item }: { readonly item: ExperimentOverview }) {
  const step = nextStep(item);
  return step === null ? null : (
    <Link to={step.to} params={{ id: item.id }} aria-label={`${step.verb}: ${item.name}`}>
      {step.verb}
    </Link>
  );
}

function Primary({ item, scale }: { readonly item: ExperimentOverview; readonly scale: IntervalScale }) {
  const { primary } = item;
  if (primary === null) return <None>No results yet</None>;
  const { effect, verdict } = primaryWords(primary, item.primary_metric);
  const name = `${primary.metric}, ${primary.treatment}`;
  const words = tradeoffWords(item) ?? `${effect} · ${verdict}`;
  return (
    <span className="experiments-primary" title={`${name}: ${effect} · ${verdict}`}>
      {primary.relative_effect === null || !hasInterval(primary) ? null : (
        <IntervalBar
          scale={scale}
          effect={primary.relative_effect}
          low={primary.relative_ci_low}
          high={primary.relative_ci_high}
          tone={primaryTone(primary)}
          label={`${name} vs ${item.control}: ${effect}, ${verdict}`}
        />
      )}
      <span className="experiments-words">{words}</span>
    </span>
  );
}

function Health({ item }: { readonly item: ExperimentOverview }) {
  const health = healthOf(item);
  return (
    <Link
      to="/experiments/$id/health"
      params={{ id: item.id }}
      className={`experiments-health health-${health}`}
      aria-label={`Health of ${item.name}: ${healthWord(health)}`}
      title={healthWord(health)}
    >
      <span className="health-dot" aria-hidden="true" />
      <span className="visually-hidden">{healthWord(health)}</span>
    </Link>
  );
}

function LastRun({ item: { last_run, is_stale } }: { readonly item: ExperimentOverview }) {
  if (last_run === null) return <None>Never</None>;
  const remarks = [
    ...(last_run.preliminary ? ["preliminary"] : []),
    ...(is_stale ? ["no new users or no analysis for two days"] : []),
  ];
  return (
    <span className={is_stale ? "experiments-stale" : ""} title={remarks.join(", ")}>
      <Time at={last_run.computed_at} isRelative />
      {remarks.length === 0 ? null : <span className="visually-hidden"> ({remarks.join(", ")})</span>}
    </span>
  );
}

/** The observed split of users, as a thin bar and in words. */
function SplitBar({ item }: { readonly item: Pick<ExperimentOverview, "users" | "variants" | "control"> }) {
  const parts = observedSplit(item);
  if (parts.length === 0) return <None>–</None>;
  const colors = armColors(item.variants, item.control);
  const names = parts.map(({ variant, share }) => `${isolated(variant)} ${percent(share)}`).join(" · ");
  return (
    <span className="split" title={names}>
      <span className="split-bar" role="img" aria-label={names}>
        {parts.map(({ variant, share }) => (
          <span
            key={variant}
            style={{ width: `${100 * share}%`, background: colors.get(variant) ?? "var(--muted)" }}
          />
        ))}
      </span>
    </span>
  );
}
