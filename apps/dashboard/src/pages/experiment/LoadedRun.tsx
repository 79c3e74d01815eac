import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { queries } from "../../api/queries.ts";
import type { Experiment, ExperimentOverview, Results } from "../../api/types.ts";
import { Loaded } from "../../ui/Loaded.tsx";

/** An experiment, its overview and one of its runs. */
export interface RunOfExperiment {
  readonly overview: ExperimentOverview;
  readonly experiment: Experiment;
  /** Null: no run yet. */
  readonly run: Results | null;
}

/** The run that a page's address names; without a label the latest run, without a revision its newest. */
export interface RunSearch {
  readonly run?: string | undefined;
  readonly revision?: string | undefined;
}

/** Whether a run is the one that the experiment's state rests on. */
export function isLatestRun({ last_run: last }: ExperimentOverview, run: Results): boolean {
  return last?.computed_for === run.computed_for && last.revision === run.revision;
}

interface LoadedRunProps {
  readonly id: string;
  readonly search: RunSearch;
  readonly children: (found: RunOfExperiment) => ReactNode;
  /** Replaces a run that cannot be read; null: its problem is shown. */
  readonly instead?: (error: Error) => ReactNode;
}

/** Loads what a page about a run needs. */
export function LoadedRun({ id, search, children, instead }: LoadedRunProps) {
  const overview = useQuery(queries.experimentOverview(id));
  const experiment = useQuery(queries.experiment(id));
  const run = useQuery(queries.results(id, search.run ?? null, search.revision ?? null));
  const replaced = run.error === null ? null : instead?.(run.error);
  if (replaced) return replaced;
  return (
    <Loaded query={overview}>
      {(facts) => (
        <Loaded query={experiment}>
          {(setup) => (
            <Loaded query={run} lines={12}>
              {(results) => children({ overview: facts, experiment: setup, run: results })}
            </Loaded>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}
