import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.ts";
import type { Wire } from "../../api/types.ts";
import { counted } from "../../format/numbers.ts";
import { Loaded } from "../../ui/Loaded.tsx";
import { Page } from "../../ui/Page.tsx";
import { JudgeCard } from "./JudgeCard.tsx";
import { JudgeNotices } from "./JudgeNotices.tsx";
import { JudgingPanel } from "./JudgingPanel.tsx";
import { OutboxNotice } from "./label/OutboxNotice.tsx";
import { NoJudgedMetrics } from "./NoJudgedMetrics.tsx";
import { POLL_MS } from "./queries.ts";
import "./judges.css";

/** All judged metrics: their progress, cost and agreement with people. */
export default function JudgesPage() {
  const judges = useQuery({
    ...queries.judges(),
    refetchInterval: ({ state }) => (state.data?.backlog ? POLL_MS : false),
  });
  return (
    <Page
      title="Judges"
      lead="A judge is a model that scores answers. Label some of the same answers yourself to measure its errors and correct the results."
    >
      <OutboxNotice />
      <Loaded query={judges} lines={8}>
        {(overview) => (
          <>
            <JudgeNotices overview={overview} />
            <JudgingPanel overview={overview} />
            <Cards overview={overview} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Cards({ overview: { items, is_configured } }: { readonly overview: Wire<"JudgesOverview"> }) {
  if (items.length === 0) return <NoJudgedMetrics isConfigured={is_configured} />;
  return (
    <section aria-label="Judged metrics">
      <h2>{counted(items.length, "judged metric")}</h2>
      {items.map((item) => (
        <JudgeCard key={`${item.experiment_id} ${item.metric}`} item={item} />
      ))}
    </section>
  );
}
