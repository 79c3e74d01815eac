import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../../../api/queries.ts";
import type { Experiment, Results } from "../../../api/types.ts";
import { number, percent, pValue } from "../../../format/numbers.ts";
import { day } from "../../../format/times.ts";
import { Badge } from "../../../ui/Badge.tsx";
import { LinkButton } from "../../../ui/Button.tsx";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { Table } from "../../../ui/Table.tsx";
import { AnalyseButton } from "../AnalyseButton.tsx";
import { RemarkList } from "./RemarkList.tsx";
import { SplitTable } from "./SplitTable.tsx";
import { type SplitDay, splitByDay } from "./split-by-day.ts";

interface WithheldPanelProps {
  readonly experiment: Experiment;
  readonly run: Results;
}

/** Why there are no numbers: the split, day by day, what causes such a thing, and what to do. No effect is shown. */
export function WithheldPanel({ experiment, run }: WithheldPanelProps) {
  const { id } = experiment;
  const p = pValue(run.srm.p_value);
  return (
    <>
      <Notice
        tone="warn"
        title="Results are withheld: the traffic split is off"
        actions={
          <>
            <LinkButton look="primary" to="/experiments/$id/health" params={{ id }}>
              See the health checks
            </LinkButton>
            <AnalyseButton id={id}>Analyse anew</AnalyseButton>
          </>
        }
      >
        <p>
          {splitInWords(run)} (p {p.startsWith("<") ? p : `= ${p}`}). A split this far off almost never
          happens by chance, so any difference could come from who was counted, not from the variant.
        </p>
      </Notice>
      <Panel title="Expected and observed">
        <SplitTable experiment={experiment} srm={run.srm} />
        <SplitDays id={id} expected={run.srm.expected} />
        <RemarkList run={run} />
      </Panel>
      <Causes id={id} />
    </>
  );
}

function splitInWords({ srm: { observed, expected } }: Results): string {
  const arms = Object.keys(expected);
  const total = Object.values(observed).reduce((sum, value) => sum + value, 0) || 1;
  const shares = (share: (arm: string) => number) => arms.map((arm) => number(share(arm) * 100)).join(" / ");
  const seen = shares((arm) => (observed[arm] ?? 0) / total);
  return `For ${arms.join(" / ")} we expected ${shares((arm) => expected[arm] ?? 0)}\u00a0% and saw ${seen}\u00a0%`;
}

function SplitDays({ id, expected }: { readonly id: string; readonly expected: Results["srm"]["expected"] }) {
  const traffic = useQuery(queries.traffic(id));
  const arms = Object.keys(expected);
  return (
    <Loaded query={traffic}>
      {({ days }) => (
        <Table<SplitDay>
          caption="Split of each day's users: on which day did it begin?"
          rows={splitByDay(days, expected)}
          rowKey={(one) => one.day}
          columns={[
            { key: "day", title: "Day (UTC)", cell: (one) => day(one.day) },
            { key: "users", title: "Users", isNumeric: true, cell: ({ total }) => number(total) },
            ...arms.map((arm) => ({
              key: `share ${arm}`,
              title: arm,
              isNumeric: true,
              cell: ({ shares }: SplitDay) => percent(shares[arm] ?? 0),
            })),
            {
              key: "judged",
              title: "By itself",
              cell: ({ isLeaning }) =>
                isLeaning ? <Badge tone="warn">Off</Badge> : <span className="muted">within chance</span>,
            },
          ]}
        />
      )}
    </Loaded>
  );
}

function Causes({ id }: { readonly id: string }) {
  return (
    <Panel title="Usual causes, and what to do">
      <dl className="results-causes">
        <dt>One variant crashes, or is so slow that its users leave before the exposure is sent</dt>
        <dd>
          Compare errors and latency of the variants in{" "}
          <Link to="/experiments/$id/health" params={{ id }}>
            Health
          </Link>
          ; send the exposure before the call, not after it.
        </dd>
        <dt>A cache or redirect serves one variant only</dt>
        <dd>Assign behind the cache, or make the variant part of its key.</dd>
        <dt>Bots reach one variant</dt>
        <dd>Turn them away before they are assigned; Health names users with very many calls.</dd>
        <dt>The user's id changes, at sign-in or between assigning and tracking</dt>
        <dd>Use one id from the first visit on; Health counts users seen in several variants.</dd>
        <dt>Events are sent or imported with a variant chosen elsewhere</dt>
        <dd>Leave the variant out: the service derives it from the user.</dd>
      </dl>
      <p>
        Then start a new experiment with a new salt: users who were counted wrongly stay in this one, so
        waiting does not mend it. If a later allocation change explains the split, “Analyse anew” judges all
        days again.
      </p>
    </Panel>
  );
}
