import type { Experiment, MetricResult, Results } from "../../../api/types.ts";
import {
  basisWords,
  type Claim,
  claimWords,
  type DecisionStatus,
  evidenceWords,
  isAmong,
  LOOKS_WORDS,
  nightBefore,
  openWords,
  unsettledOf,
} from "../../../format/decision-words.ts";
import { metricOf } from "../../../format/effect.ts";
import { unitOf } from "../../../format/metric-units.ts";
import { interval, pEquals, percent, signed } from "../../../format/numbers.ts";
import { day } from "../../../format/times.ts";
import { decisiveRows } from "../../../format/verdict.ts";
import { Facts } from "../../../ui/Facts.tsx";
import { Meter } from "../../../ui/Meter.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { type Column, Table } from "../../../ui/Table.tsx";

interface PlanPanelProps {
  readonly experiment: Experiment;
  readonly run: Results;
  readonly decision: DecisionStatus;
}

/** The state of the decision by its plan: information, boundary, ends, the evidence for each claim, open margins. */
export function PlanPanel({ experiment, run, decision }: PlanPanelProps) {
  const { looks } = decision;
  const open = unsettledOf(decision);
  const basis = basisWords(experiment.plan ?? {});
  return (
    <Panel title="Decision plan">
      <p>
        {LOOKS_WORDS[looks].meaning} {basis}
      </p>
      <Meters run={run} decision={decision} />
      <Facts facts={factsOf(decision)} />
      <Evidence experiment={experiment} run={run} decision={decision} />
      {open.length === 0 ? null : (
        <p className="plan-note">Margins that are not settled: {openWords(open)}.</p>
      )}
    </Panel>
  );
}

function Meters({ run, decision }: Omit<PlanPanelProps, "experiment">) {
  const { information, look, looks } = decision;
  const leading = leadingClaim(decision, Object.values(run.results));
  return (
    <div className="plan-meters">
      {looks === "fixed" && look === 0 ? null : (
        <Meter
          label="Planned information"
          value={information}
          max={1}
          text={look === 0 ? "no look yet" : percent(information, 2)}
        />
      )}
      {leading === null || leading.boundary === null || leading.z === null ? null : (
        <Meter
          label={`Evidence: ${leading.metric}, ${leading.treatment}`}
          value={Math.max(0, leading.z)}
          max={leading.boundary}
          text={evidenceWords(leading)}
        />
      )}
    </div>
  );
}

/** The deciding claim with the most evidence. */
function leadingClaim({ evidence }: DecisionStatus, rows: readonly MetricResult[]): Claim | null {
  const deciding = decisiveRows(rows);
  const own = evidence.filter((claim) => claim.kind === "better" && isAmong(deciding, claim));
  return own.toSorted((a, b) => (b.z ?? 0) - (a.z ?? 0))[0] ?? null;
}

function factsOf({ looks, look, earliest_end, planned_end, decided_on }: DecisionStatus) {
  return [
    ["Looks", LOOKS_WORDS[looks].word],
    ["Looks so far", String(look)],
    ["No decision before", nightBefore(earliest_end)],
    ["Planned end", nightBefore(planned_end)],
    ["Decision look", decided_on === null ? "not yet" : day(decided_on)],
  ] as const;
}

function Evidence({ experiment, run, decision }: PlanPanelProps) {
  const { evidence, decided_on } = decision;
  if (evidence.length === 0) return null;
  const caption =
    decided_on === null ? "Evidence so far" : `Evidence at the decision look, ${day(decided_on)}`;
  return (
    <>
      <h3 className="plan-head">{caption}</h3>
      {decided_on === null ? null : (
        <p>
          These numbers decided; the numbers of this run are next to them. Later nights change the state only
          with evidence that holds at any look.
        </p>
      )}
      <Table
        caption={caption}
        isCaptionHidden
        columns={columnsOf({ experiment, run, decision })}
        rows={evidence}
        rowKey={({ kind, metric, treatment }) => `${kind} ${metric} ${treatment}`}
        narrow="stacks"
      />
    </>
  );
}

function columnsOf({ experiment, run, decision: { decided_on } }: PlanPanelProps): readonly Column<Claim>[] {
  const effect = (row: Pick<Claim, "metric" | "effect" | "ci_low" | "ci_high">) =>
    effectWords(row, unitOf(metricOf(experiment.metrics, row)).difference);
  const newest = ({ metric, treatment }: Claim) => run.results[`${metric}::${treatment}`];
  const isDecided = decided_on !== null;
  return [
    {
      key: "claim",
      title: "Claim",
      cell: ({ kind, metric, treatment }) =>
        `${metric}, ${treatment}: ${kind === "better" ? "better" : "not worse by more than its margin"}`,
    },
    { key: "effect", title: isDecided ? "Effect then (95% CI)" : "Effect (95% CI)", cell: effect },
    ...(isDecided
      ? [
          {
            key: "newest",
            title: "Effect in this run (95% CI)",
            cell: (claim: Claim) => {
              const row = newest(claim);
              return row === undefined ? "no result" : effect(row);
            },
          },
        ]
      : []),
    { key: "p", title: "p", cell: ({ p_value }) => pEquals(p_value) },
    { key: "z", title: "Evidence", cell: evidenceWords },
    { key: "met", title: "Outcome", cell: (claim) => claimWords(claim, isDecided) },
  ];
}

function effectWords(
  { effect, ci_low, ci_high }: Pick<Claim, "effect" | "ci_low" | "ci_high">,
  difference: (value: number) => string,
): string {
  const bounds = interval(ci_low, ci_high, (value) => signed(value, difference));
  return `${signed(effect, difference)}${bounds === null ? "" : ` (${bounds})`}`;
}
