import type { Experiment, Results } from "../../../api/types.ts";
import { Button, LinkButton } from "../../../ui/Button.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { download, fileName } from "./download.ts";
import { RunFacts } from "./RunFacts.tsx";
import { resultsCsv } from "./results-csv.ts";

interface RunFooterProps {
  readonly experiment: Experiment;
  readonly run: Results;
}

/** How the run was computed, with downloads. */
export function RunFooter({ experiment, run }: RunFooterProps) {
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
            search={{ run: run.computed_for }}
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
