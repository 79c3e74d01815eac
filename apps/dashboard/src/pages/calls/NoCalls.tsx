import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.ts";
import type { Experiment } from "../../api/types.ts";
import { counted } from "../../format/numbers.ts";
import { Button, LinkButton } from "../../ui/Button.tsx";
import { Empty } from "../../ui/Page.tsx";
import { type CallSearch, isFiltered, NO_FILTERS, orderOf, splitOrder } from "./call-search.ts";

interface NoCallsProps {
  readonly experiment: Experiment;
  readonly search: CallSearch;
  readonly onSearch: (change: CallSearch, how: "push" | "replace") => void;
}

/** Why no calls are shown, and what to do about it. */
export function NoCalls({ experiment, search, onSearch }: NoCallsProps) {
  if (isFiltered(search)) return <NoMatchingCalls onSearch={onSearch} />;
  if (splitOrder(orderOf(search)).sort !== "occurred_at") return <NoCallsWithValue onSearch={onSearch} />;
  return <NoCallsYet experiment={experiment} />;
}

function NoMatchingCalls({ onSearch }: Pick<NoCallsProps, "onSearch">) {
  return (
    <Empty
      title="No calls match these filters"
      actions={<Button onPress={() => onSearch(NO_FILTERS, "replace")}>Show all calls</Button>}
    >
      <p>User and model must match exactly. Text is searched in prompts and answers, ignoring case.</p>
    </Empty>
  );
}

function NoCallsWithValue({ onSearch }: Pick<NoCallsProps, "onSearch">) {
  return (
    <Empty
      title="No calls have this value"
      actions={
        <Button onPress={() => onSearch({ sort: undefined, direction: undefined }, "replace")}>
          Show newest first
        </Button>
      }
    >
      <p>Sorting leaves out calls that were sent without this value.</p>
    </Empty>
  );
}

function NoCallsYet({ experiment: { status } }: Pick<NoCallsProps, "experiment">) {
  const usage = useQuery(queries.usage());
  const kept =
    usage.data === undefined || !usage.data.enforced
      ? null
      : `Your plan keeps raw events for ${counted(usage.data.limits.retention_days, "day")}. Older calls are deleted; results computed from them stay.`;
  return (
    <Empty title="No model calls" actions={<LinkButton to="/start">Show the code</LinkButton>}>
      <p>{REASONS[status ?? "running"]}</p>
      {kept === null ? null : <p className="muted">{kept}</p>}
    </Empty>
  );
}

const REASONS = {
  draft: "The experiment is a draft. It assigns no users yet, so no calls are sent.",
  running:
    "No calls have arrived for this experiment yet. A call appears here seconds after your application sends it.",
  stopped: "The experiment is stopped. Its calls have expired, or none were sent.",
  shipped: "The experiment is shipped. Its calls have expired, or none were sent.",
  archived: "The experiment is archived. Its calls have expired, or none were sent.",
} as const;
