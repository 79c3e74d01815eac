import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../../../api/queries.ts";
import type { Experiment } from "../../../api/types.ts";
import { useArmColors } from "../../../charts/arms.ts";
import { counted } from "../../../format/numbers.ts";
import { Button } from "../../../ui/Button.tsx";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Empty } from "../../../ui/Page.tsx";
import { CompareTools } from "./CompareTools.tsx";
import { ComparisonRow } from "./ComparisonRow.tsx";
import { type CompareSearch, orderOf, pairOf } from "./compare-search.ts";
import { PickCounts } from "./PickCounts.tsx";
import { comparisonsQuery, MOST_SHOWN } from "./queries.ts";
import { useCompareDesk } from "./use-compare-desk.ts";
import "./compare.css";

const SHOWN = 20;

/** The variants' answers to the same questions, side by side. */
export default function CompareTab() {
  const { id } = useParams({ from: "/shell/experiments/$id/compare" });
  const experiment = useQuery(queries.experiment(id));
  return <Loaded query={experiment}>{(facts) => <Compare key={id} experiment={facts} />}</Loaded>;
}

function Compare({ experiment }: { readonly experiment: Experiment }) {
  const { id } = experiment;
  const search: CompareSearch = useSearch({ from: "/shell/experiments/$id/compare" });
  const navigate = useNavigate({ from: "/experiments/$id/compare" });
  const change = (part: CompareSearch) =>
    navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const [limit, setLimit] = useState(SHOWN);
  const query = useQuery(comparisonsQuery(id, search, limit));
  const colors = useArmColors(experiment);
  const items = query.data?.items ?? [];
  const desk = useCompareDesk(id, items, () => query.refetch());
  return (
    <div className="compare">
      <CompareTools search={search} onSearch={change} desk={desk} />
      <Loaded query={query} lines={12}>
        {({ total, calls, picks }) => (
          <>
            <p className="compare-count" role="status">
              {search.calls === undefined
                ? `${counted(total, "question")} that several variants answered, among the ${counted(calls, "newest call")}. `
                : "One comparison, from a link. "}
              {items.length === 0 ? null : <Keys />}
            </p>
            {desk.isBlind ? null : <PickCounts picks={picks} colors={colors} />}
            {items.length === 0 ? <Nothing search={search} calls={calls} onSearch={change} /> : null}
            {items.map((comparison, place) => (
              <ComparisonRow
                key={pairOf(comparison)}
                comparison={comparison}
                experiment={experiment}
                colors={colors}
                desk={desk}
                place={place}
              />
            ))}
            {items.length < Math.min(total, MOST_SHOWN) ? (
              <Button isPending={query.isFetching} onPress={() => setLimit(MOST_SHOWN)}>
                Show {Math.min(total, MOST_SHOWN) - items.length} more
              </Button>
            ) : null}
          </>
        )}
      </Loaded>
    </div>
  );
}

function Keys() {
  return (
    <span className="compare-keys">
      <kbd>J</kbd> <kbd>K</kbd> next and previous · <kbd>D</kbd> differences · <kbd>B</kbd> pick blind
    </span>
  );
}

interface NothingProps {
  readonly search: CompareSearch;
  /** Calls that were read. */
  readonly calls: number;
  readonly onSearch: (change: CompareSearch) => void;
}

/** Why there is nothing to compare, and what to do. */
function Nothing({ search, calls, onSearch }: NothingProps) {
  if (search.calls !== undefined)
    return (
      <Empty
        title="The answers of this link cannot be compared any more."
        actions={<Button onPress={() => onSearch({ calls: undefined })}>Show all questions</Button>}
      >
        <p>At least one of them is no longer stored.</p>
      </Empty>
    );
  if (orderOf(search) !== "difference" || search.text !== undefined)
    return (
      <Empty
        title="No question matches."
        actions={
          <Button onPress={() => onSearch({ order: undefined, text: undefined, calls: undefined })}>
            Show all questions
          </Button>
        }
      />
    );
  return (
    <Empty
      title={
        calls === 0
          ? "No calls with a prompt and an answer yet."
          : "No question was answered by two variants yet."
      }
    >
      <p>
        {calls === 0
          ? "Answers are compared by their prompts: send prompt and response with model calls. The client libraries do this automatically."
          : "A question is compared once two variants have answered it, or have answered questions that share at least half of their words."}
      </p>
    </Empty>
  );
}
