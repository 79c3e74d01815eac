import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../../../api/queries.ts";
import type { Experiment, Results } from "../../../api/types.ts";
import { isolated } from "../../../format/isolated.ts";
import { number, pEquals, percent, sum } from "../../../format/numbers.ts";
import { day } from "../../../format/times.ts";
import { UNIT_TITLES } from "../../../format/unit-words.ts";
import { Badge } from "../../../ui/Badge.tsx";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { Table } from "../../../ui/Table.tsx";
import { RemarkList } from "./RemarkList.tsx";
import { SplitTable } from "./SplitTable.tsx";
import { type SplitDay, splitByDay } from "./split-by-day.ts";
import { WithheldNotice } from "./WithheldNotice.tsx";

interface WithheldPanelProps {
  readonly experiment: Experiment;
  readonly run: Results;
}

/** Explains withheld results: the split by day, usual causes, and what to do. No effect is shown. */
export function WithheldPanel({ experiment, run }: WithheldPanelProps) {
  const { id } = experiment;
  return (
    <>
      <WithheldNotice id={id} why="the traffic split is off">
        {splitInWords(run)} ({pEquals(run.srm.p_value)}). A split this far off almost never happens by chance,
        so any difference could come from who was counted, not from the variants.
      </WithheldNotice>
      <Panel title="Expected and observed">
        <SplitTable experiment={experiment} srm={run.srm} />
        <SplitDays experiment={experiment} expected={run.srm.expected} />
        <RemarkList run={run} />
      </Panel>
      <Causes id={id} />
    </>
  );
}

function splitInWords({ srm: { observed, expected } }: Results): string {
  const arms = Object.keys(expected);
  const total = sum(Object.values(observed)) || 1;
  const shares = (share: (arm: string) => number) => arms.map((arm) => percent(share(arm))).join(" / ");
  const seen = shares((arm) => (observed[arm] ?? 0) / total);
  return `For ${arms.map(isolated).join(" / ")} we expected ${shares((arm) => expected[arm] ?? 0)} and saw ${seen}`;
}

function SplitDays({
  experiment: { id, unit = "user" },
  expected,
}: {
  readonly experiment: Experiment;
  readonly expected: Results["srm"]["expected"];
}) {
  const traffic = useQuery(queries.traffic(id));
  const arms = Object.keys(expected);
  return (
    <Loaded query={traffic}>
      {({ days }) => (
        <Table<SplitDay>
          caption="Split by day: when did it start?"
          rows={splitByDay(days, expected)}
          rowKey={(one) => one.day}
          columns={[
            { key: "day", title: "Day (UTC)", cell: (one) => day(one.day) },
            { key: "users", title: UNIT_TITLES[unit], isNumeric: true, cell: ({ total }) => number(total) },
            ...arms.map((arm) => ({
              key: `share ${arm}`,
              title: arm,
              isNumeric: true,
              cell: ({ shares }: SplitDay) => percent(shares[arm] ?? 0),
            })),
            {
              key: "judged",
              title: "This day",
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
        <dt>One variant crashes, or is so slow that users leave before the exposure is sent</dt>
        <dd>
          Compare errors and latency by variant in{" "}
          <Link to="/experiments/$id/health" params={{ id }}>
            Health
          </Link>
          . Send the exposure before the call, not after it.
        </dd>
        <dt>A cache or redirect serves one variant only</dt>
        <dd>Assign behind the cache, or include the variant in the cache key.</dd>
        <dt>Bots reach one variant</dt>
        <dd>Block them before they are assigned.</dd>
        <dt>User ids change at sign-in, or between assignment and tracking</dt>
        <dd>Use one id from the first visit on. Health counts users seen in several variants.</dd>
        <dt>Events are sent or imported with a variant chosen elsewhere</dt>
        <dd>
          Leave out the variant, so that the service derives it from the user. If another system's flag
          assigns the variants, send the one that the flag gave.
        </dd>
      </dl>
      <p>
        After fixing the cause, start a new experiment with a new salt: wrongly counted users stay in this
        one, so waiting does not help. If a recent allocation change explains the split, “Analyze again”
        checks all days again.
      </p>
    </Panel>
  );
}
