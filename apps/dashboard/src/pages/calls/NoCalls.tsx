import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.ts";
import type { Experiment } from "../../api/types.ts";
import { counted } from "../../format/numbers.ts";
import { Button, LinkButton } from "../../ui/Button.tsx";
import { Empty } from "../../ui/Page.tsx";
import { type CallSearch, isFiltered, orderOf, splitOrder } from "./call-search.ts";

interface NoCallsProps {
  readonly experiment: Experiment;
  readonly search: CallSearch;
  readonly onSearch: (change: CallSearch, how: "push" | "replace") => void;
}

/** Why no call is shown, and what to do about it. */
export function NoCalls({ experiment, search, onSearch }: NoCallsProps) {
  if (isFiltered(search)) return <NoneMatches onSearch={onSearch} />;
  if (splitOrder(orderOf(search)).sort !== "occurred_at") return <NoneSortable onSearch={onSearch} />;
  return <NoneThere experiment={experiment} />;
}

function NoneMatches({ onSearch }: Pick<NoCallsProps, "onSearch">) {
  const reset = { variant: undefined, user: undefined, model: undefined, errors: undefined, text: undefined };
  return (
    <Empty
      title="No call matches these filters"
      actions={<Button onPress={() => onSearch(reset, "replace")}>Show all calls</Button>}
    >
      <p>User and model are compared as a whole; a text is looked for in prompt and answer, in any case.</p>
    </Empty>
  );
}

function NoneSortable({ onSearch }: Pick<NoCallsProps, "onSearch">) {
  return (
    <Empty
      title="No call carries this number"
      actions={
        <Button onPress={() => onSearch({ sort: undefined, direction: undefined }, "replace")}>
          Show the newest first
        </Button>
      }
    >
      <p>Calls that were sent without the number they are ordered by are left out.</p>
    </Empty>
  );
}

function NoneThere({ experiment: { status } }: Pick<NoCallsProps, "experiment">) {
  const usage = useQuery(queries.usage());
  const kept =
    usage.data === undefined || !usage.data.enforced
      ? null
      : `Your plan keeps raw events for ${counted(usage.data.limits.retention_days, "day")}: older calls are gone, the results computed from them stay.`;
  return (
    <Empty
      title="No model calls to read"
      actions={<LinkButton to="/start">See the code to send calls</LinkButton>}
    >
      <p>{REASONS[status ?? "running"]}</p>
      {kept === null ? null : <p className="muted">{kept}</p>}
    </Empty>
  );
}

const REASONS = {
  draft: "The experiment is a draft: it assigns nobody yet, so nothing is sent for it.",
  running:
    "None has arrived for this experiment. A call appears here seconds after your application sends it.",
  stopped: "The experiment is stopped, and none of its calls is kept any more, or none was ever sent.",
} as const;
