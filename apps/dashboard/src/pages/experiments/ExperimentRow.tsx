import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { ExperimentOverview } from "../../api/types.ts";
import { armColors } from "../../charts/arms.ts";
import { IntervalBar, type IntervalScale } from "../../charts/IntervalBar.tsx";
import { count, counted, percent } from "../../format/numbers.ts";
import { usersOf } from "../../format/states.ts";
import { StateBadge } from "../../ui/Badge.tsx";
import { Time } from "../../ui/Time.tsx";
import { DemoTag } from "./Demo.tsx";
import { healthOf, healthWord } from "./list-filter.ts";
import { nextStep } from "./next-step.ts";
import {
  observedSplit,
  primaryTone,
  primaryWords,
  progressWords,
  splitWords,
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
      <th scope="row">
        <Name item={item} />
      </th>
      <td data-label="State">
        <State item={item} />
      </td>
      <td data-label="Observed split">
        <SplitBar item={item} />
      </td>
      <td data-label="Primary metric">
        <Primary item={item} scale={scale} />
      </td>
      <td data-label="Progress">{progressWords(item) ?? <None>Unknown</None>}</td>
      <td data-label="Users" className="numeric">
        {count(usersOf(item))}
        <small>
          {count(item.exposures)} {item.exposures === 1 ? "exposure" : "exposures"}
        </small>
      </td>
      <td data-label="Health">
        <Health item={item} />
      </td>
      <td data-label="Last analyzed">
        <LastRun item={item} />
      </td>
    </tr>
  );
});

function None({ children }: { readonly children: string }) {
  return <small>{children}</small>;
}

function Name({ item: { id, name, is_demo, created_by } }: { readonly item: ExperimentOverview }) {
  return (
    <>
      <Link to="/experiments/$id" params={{ id }} className="experiments-name">
        {name}
      </Link>{" "}
      {is_demo ? <DemoTag /> : null}
      {created_by === null ? null : <small>by {created_by.name}</small>}
    </>
  );
}

function State({ item }: { readonly item: ExperimentOverview }) {
  const step = nextStep(item);
  return (
    <>
      <StateBadge state={item.state} />
      {step === null ? null : (
        <small>
          <Link to={step.to} params={{ id: item.id }} aria-label={`${step.verb}: ${item.name}`}>
            {step.verb}
          </Link>
        </small>
      )}
    </>
  );
}

function Primary({ item, scale }: { readonly item: ExperimentOverview; readonly scale: IntervalScale }) {
  const { primary } = item;
  if (primary === null) return <None>No results yet</None>;
  const { effect, verdict } = primaryWords(primary);
  const tradeoff = tradeoffWords(item);
  const name = `${primary.metric}, ${primary.treatment}`;
  return (
    <>
      <span className="experiments-metric" title={name}>
        {name}
      </span>
      {primary.relative_effect === null ? null : (
        <IntervalBar
          scale={scale}
          effect={primary.relative_effect}
          low={primary.relative_ci_low}
          high={primary.relative_ci_high}
          tone={primaryTone(primary)}
          label={`${name} vs ${item.control}: ${effect}, ${verdict}`}
        />
      )}
      <small>
        {effect} · {verdict}
      </small>
      {tradeoff === null ? null : <small>{tradeoff}</small>}
    </>
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
    >
      <span className="health-dot" aria-hidden="true" />
      {healthWord(health)}
    </Link>
  );
}

function LastRun({ item: { last_run, is_stale } }: { readonly item: ExperimentOverview }) {
  return (
    <>
      {last_run === null ? <None>Never</None> : <Time at={last_run.computed_at} isRelative />}
      {last_run?.preliminary ? <small>Preliminary</small> : null}
      {is_stale ? <small className="experiments-stale">Stale: no new data for two days</small> : null}
    </>
  );
}

/** Maximum number of shares in words; beyond it, only their number is shown. */
const SHARES_WRITTEN = 4;

/** The observed split of users, as a thin bar and in words. */
function SplitBar({ item }: { readonly item: Pick<ExperimentOverview, "users" | "variants" | "control"> }) {
  const parts = observedSplit(item);
  if (parts.length === 0) return <small>No users yet</small>;
  const colors = armColors(item.variants, item.control);
  const names = parts.map(({ variant, share }) => `${variant} ${percent(share)}`).join(" · ");
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
      <small>{parts.length > SHARES_WRITTEN ? counted(parts.length, "variant") : splitWords(parts)}</small>
    </span>
  );
}
