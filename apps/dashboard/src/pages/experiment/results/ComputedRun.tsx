import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import type { Experiment, MetricResult, Results } from "../../../api/types.ts";
import { manyOf, type Unit } from "../../../format/unit-words.ts";
import { Button, LinkButton } from "../../../ui/Button.tsx";
import { download, fileName } from "../../../ui/download.ts";
import { Panel } from "../../../ui/Page.tsx";
import { MetricDrawer } from "./drawer/MetricDrawer.tsx";
import { PlanPanel } from "./PlanPanel.tsx";
import { RunAside } from "./RunAside.tsx";
import { RunFacts } from "./RunFacts.tsx";
import { resultsCsv } from "./results-csv.ts";
import { Scorecard } from "./Scorecard.tsx";
import { EFFECT_MODES, type EffectMode } from "./shown-effect.ts";

const ROUTE = "/shell/experiments/$id/";

interface ComputedRunProps {
  readonly experiment: Experiment;
  readonly run: Results;
}

/** A run with results: the scorecard, with what is left before shipping beside it, the decision plan, a drawer for each comparison, and how it was computed. */
export function ComputedRun({ experiment, run }: ComputedRunProps) {
  const { metric, effect } = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: "/experiments/$id/" });
  const mode = effectModeOf(effect);
  const opened = metric === undefined ? undefined : run.results[metric];
  const nameOf = (row: MetricResult, title: string) => (
    <Link
      from="/experiments/$id/"
      search={(search) => ({ ...search, metric: `${row.metric}::${row.treatment}` })}
      resetScroll={false}
    >
      {title}
    </Link>
  );
  return (
    <>
      <div className="run-computed">
        <div>
          <Scorecard
            experiment={experiment}
            rows={Object.values(run.results)}
            mode={mode}
            nameOf={nameOf}
            tools={
              <EffectModes
                mode={mode}
                titles={titlesOf(experiment.unit)}
                onChange={(next) =>
                  navigate({ search: (search) => ({ ...search, effect: next }), resetScroll: false })
                }
              />
            }
          />
        </div>
        <RunAside experiment={experiment} run={run} />
      </div>
      {run.decision === null ? null : <PlanPanel experiment={experiment} run={run} decision={run.decision} />}
      <RunFooter experiment={experiment} run={run} />
      {opened === undefined ? null : (
        <MetricDrawer
          experiment={experiment}
          run={run}
          row={opened}
          onClose={() => navigate({ search: ({ metric: _, ...search }) => search, resetScroll: false })}
        />
      )}
    </>
  );
}

interface RunFooterProps {
  readonly experiment: Experiment;
  readonly run: Results;
}

/** How the run was computed, with downloads. */
function RunFooter({ experiment, run }: RunFooterProps) {
  const name = (ending: string) => `${fileName(experiment.name, run.computed_for)}.${ending}`;
  return (
    <Panel
      title="How this was computed"
      actions={
        <>
          <Button onPress={() => download(name("csv"), "text/csv", resultsCsv(run))}>Download CSV</Button>
          <Button onPress={() => download(name("json"), "application/json", JSON.stringify(run, null, 2))}>
            Download JSON
          </Button>
          <LinkButton
            to="/experiments/$id/report"
            params={{ id: experiment.id }}
            search={{ run: run.computed_for, revision: String(run.revision) }}
          >
            Printable report
          </LinkButton>
        </>
      }
    >
      <RunFacts run={run} />
    </Panel>
  );
}

const titlesOf = (unit: Unit = "user"): Readonly<Record<EffectMode, string>> => ({
  relative: "Relative",
  absolute: "Absolute",
  "per-10000": `Per 10,000 ${manyOf(unit)}`,
});

interface EffectModesProps {
  readonly mode: EffectMode;
  readonly titles: Readonly<Record<EffectMode, string>>;
  readonly onChange: (mode: EffectMode) => void;
}

/** Chooses how effects are shown. */
function EffectModes({ mode, titles, onChange }: EffectModesProps) {
  return (
    <ToggleButtonGroup
      className="effect-modes"
      aria-label="Show effects as"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[mode]}
      onSelectionChange={(keys) => {
        const chosen = EFFECT_MODES.find((one) => keys.has(one));
        if (chosen) onChange(chosen);
      }}
    >
      {EFFECT_MODES.map((one) => (
        <ToggleButton key={one} id={one} className="effect-mode">
          {titles[one]}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}

/** Reads the mode from the URL; relative by default. */
function effectModeOf(text: string | undefined): EffectMode {
  return EFFECT_MODES.find((one) => one === text) ?? "relative";
}
