import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { DEFAULT_SAMPLE_RATE, SCALE_WORDS, scaleOf } from "../../format/judge-words.ts";
import { count, dollars, percent } from "../../format/numbers.ts";
import { Badge } from "../../ui/Badge.tsx";
import { LinkButton } from "../../ui/Button.tsx";
import { Facts } from "../../ui/Facts.tsx";
import {
  backlogInWords,
  failuresInWords,
  JUDGED_STATES,
  kappaInWords,
  kappaWord,
  labelledInWords,
  labelsOf,
} from "./judge-words.ts";
import type { JudgedMetric } from "./queries.ts";

/** One judged metric: its state, agreement with people, and cost. */
export function JudgeCard({ item }: { readonly item: JudgedMetric }) {
  const { metric, experiment_id: experimentId, experiment_name: experiment, is_demo, state, detail } = item;
  const params = { experimentId, metric };
  const { word, tone } = JUDGED_STATES[state];
  return (
    <article className="panel judge-card" aria-label={`${metric} of ${experiment}`}>
      <header className="row">
        <h3>
          <Link to="/judges/$experimentId/$metric" params={params}>
            {metric}
          </Link>
        </h3>
        <Badge tone={tone}>{word}</Badge>
        {is_demo ? <Badge tone="quiet">Demo</Badge> : null}
        <span className="muted">
          in{" "}
          <Link to="/experiments/$id" params={{ id: experimentId }}>
            {experiment}
          </Link>
        </span>
      </header>
      <p>{detail}</p>
      <p>
        <strong>{trustOf(item)}</strong>
      </p>
      <JudgeFacts item={item} />
      <div className="row">
        {item.judge === null ? (
          <LinkButton to="/experiments/$id/change" params={{ id: experimentId }}>
            Write a rubric
          </LinkButton>
        ) : (
          <>
            <LinkButton to="/judges/$experimentId/$metric/label" params={params}>
              Label answers
            </LinkButton>
            <LinkButton to="/judges/$experimentId/$metric" params={params} look="quiet">
              Check this judge
            </LinkButton>
          </>
        )}
      </div>
    </article>
  );
}

function trustOf(item: JudgedMetric): string {
  if (labelsOf(item) === 0 || item.agreement === null) return "Nobody has checked this judge yet.";
  const { kappa } = item.agreement;
  return kappa === null
    ? "Too few labels to measure agreement with people."
    : `Agreement with people beyond chance: ${kappaWord(kappa)}, kappa = ${kappaInWords(item.agreement)}.`;
}

function JudgeFacts({ item }: { readonly item: JudgedMetric }) {
  const now = Date.now();
  const { judge, judge_version: version, evaluations, evaluations_today: today } = item;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Pinned to", version === null ? "no version yet: no calls drawn" : <code key="version">{version}</code>],
    ["Scale", judge === null ? "no rubric" : SCALE_WORDS[scaleOf(judge)]],
    ["Sample", judge === null ? "none" : `${percent(judge.sample_rate ?? DEFAULT_SAMPLE_RATE)} of the calls`],
    ["Evaluations today (UTC)", `${count(today)}, ${count(evaluations)} in total`],
    ["Cost today", <Cost key="cost" item={item} />],
    ["Backlog", backlogInWords(item, now)],
    ["Failed", <Failed key="failed" item={item} />],
    ["Labels", labelledInWords(item, now)],
  ];
  return <Facts facts={facts} />;
}

function Cost({ item: { cost_usd_today: today, cost_usd: all, unpriced } }: { readonly item: JudgedMetric }) {
  return (
    <>
      <span title={String(today)}>{dollars(today)}</span>, {dollars(all)} in total
      {unpriced === 0 ? null : (
        <>
          {" "}
          and {count(unpriced)} without a price: <Link to="/settings">set a price</Link>
        </>
      )}
    </>
  );
}

function Failed({ item: { failed_share: share, failures } }: { readonly item: JudgedMetric }) {
  if (share === null) return "nothing judged yet";
  if (failures.length === 0) return "none";
  return `${percent(share)}: ${failuresInWords(failures).join("; ")}`;
}
