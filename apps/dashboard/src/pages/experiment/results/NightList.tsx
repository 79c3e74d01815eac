import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../../../api/queries.ts";
import type { Wire } from "../../../api/types.ts";
import { day } from "../../../format/times.ts";
import { Disclosure } from "../../../ui/Disclosure.tsx";
import { Table } from "../../../ui/Table.tsx";
import { Time } from "../../../ui/Time.tsx";

type Night = Wire<"NightlyRun">;

const OUTCOMES: Readonly<Record<Night["outcome"], string>> = {
  computed: "Computed",
  collecting: "Collecting: not enough data for any metric",
  withheld: "Withheld: Data health stopped it",
  failed: "Failed",
  running: "Running now",
};

/** The day, linked to the night's run if there is one, because the picker lists no withheld nights. */
function nightLink(night: Night) {
  if (night.outcome !== "computed" && night.outcome !== "withheld") return day(night.day);
  return (
    <Link from="/experiments/$id/" search={{ run: night.day }}>
      {day(night.day)}
    </Link>
  );
}

/** All nights, including those without a run, so that missing days are explained. Empty before the first night. */
export function NightList({ id }: { readonly id: string }) {
  const { data } = useQuery(queries.nightlyRuns(id));
  if (data === undefined || data.runs.length === 0) return null;
  return (
    <Disclosure title="All nightly runs">
      <Table<Night>
        caption="Nightly runs, newest first"
        rows={data.runs}
        rowKey={(night) => night.day}
        columns={[
          { key: "day", title: "Night of", cell: nightLink },
          { key: "outcome", title: "Outcome", cell: ({ outcome }) => OUTCOMES[outcome] },
          {
            key: "finished",
            title: "Finished",
            cell: ({ finished_at: at }) => (at === null ? "not yet" : <Time at={at} />),
          },
          { key: "detail", title: "Reason", cell: ({ detail }) => detail ?? "" },
        ]}
      />
    </Disclosure>
  );
}
