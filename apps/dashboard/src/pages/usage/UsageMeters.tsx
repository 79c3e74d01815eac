import { Link } from "@tanstack/react-router";
import type { Wire } from "../../api/types.ts";
import { count, percent } from "../../format/numbers.ts";
import { day } from "../../format/times.ts";
import { Meter } from "../../ui/Meter.tsx";
import type { Tone } from "../../ui/Notice.tsx";
import { Time } from "../../ui/Time.tsx";
import { atFull, judgesAtFull, overageInWords } from "./plan-words.ts";
import { type Projection, projectMonth } from "./projection.ts";
import "./usage.css";

/** The two meters of a plan with projections, and what happens at 100%. */
export function UsageMeters({ usage }: { readonly usage: Wire<"UsageSummary"> }) {
  const { events, judge_evaluations: judge, resets_at: resetsAt } = usage;
  // Without plan limits, judging works on any plan, so only the usage is shown.
  const judgeBound = judge.allowance === 0 && !usage.enforced ? null : judge.allowance;
  return (
    <div className="form">
      <UsageMeter label="Events" {...events} resetsAt={resetsAt} />
      <PublicUse {...events.publishable} {...(!usage.enforced && { allowance: null })} />
      {events.overage > 0 ? <p>{overageInWords(usage)}</p> : null}
      <UsageMeter label="Judge evaluations" {...judge} allowance={judgeBound} resetsAt={resetsAt} />
      <ul className="usage-rules">
        <li>
          Both counters reset at <Time at={resetsAt} />.
        </li>
        <li>{atFull(usage)}</li>
        <li>
          {judgesAtFull(usage)} <Link to="/judges">Judges</Link>
        </li>
        <li>
          A judge evaluation is one score by the judge. 3 of 100 answers are scored twice, to measure its
          consistency. Failed judgements do not count.
        </li>
        <li>
          <strong>Assignment is free</strong>, and so is reading the configuration. Each event counts once;
          repeats, refused rows and dry runs of imports do not count. Test events count as exposures.
        </li>
      </ul>
    </div>
  );
}

/** The part of the events that the publishable key sent, and how many it may send. */
function PublicUse({ used, allowance }: Wire<"UsageSummary">["events"]["publishable"]) {
  const share = allowance === null ? count(used) : `${count(used)} of at most ${count(allowance)}`;
  return (
    <p className="muted">
      With the publishable key: {share}. <Link to="/keys">Keys</Link>
    </p>
  );
}

interface UsageMeterProps {
  readonly label: string;
  readonly used: number;
  readonly allowance: number | null;
  readonly resetsAt: string;
}

function UsageMeter({ label, used, allowance, resetsAt }: UsageMeterProps) {
  const projection = projectMonth({ used, allowance, resetsAt }, Date.now());
  if (allowance === 0)
    return (
      <div>
        <p className="usage-none">
          <strong>{label}</strong> <span>not in your plan</span>
        </p>
      </div>
    );
  if (allowance === null)
    return (
      <div>
        <p className="usage-none">
          <strong>{label}</strong> <span>{count(used)}, unlimited</span>
        </p>
        <p className="muted">{projectionInWords(projection, null)}</p>
      </div>
    );
  const mark = projection.kind === "projected" && used > 0 ? projection.total : undefined;
  return (
    <div>
      <Meter
        label={label}
        value={used}
        max={allowance}
        text={`${count(used)} of ${count(allowance)} (${percent(used / allowance)})`}
        tone={toneOf(used / allowance)}
        mark={mark}
      />
      <p className="muted">{projectionInWords(projection, allowance)}</p>
    </div>
  );
}

const toneOf = (share: number): Tone => (share >= 1 ? "bad" : share >= 0.8 ? "warn" : "info");

function projectionInWords(projection: Projection, allowance: number | null): string {
  if (projection.kind === "too-early") return "A projection is available from the fourth day of the month.";
  if (projection.total === 0) return "Nothing used yet this month.";
  const total = `Projection for the end of the month: about ${count(projection.total)}`;
  if (allowance === null) return `${total}.`;
  const share = `${total} (${percent(projection.total / allowance)} of the allowance)`;
  return projection.fullAt === null ? `${share}.` : `${share}; 100% is reached on ${day(projection.fullAt)}.`;
}
