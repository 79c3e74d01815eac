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

/** Every metric that a judge scores: how far it is, what it costs, and how far people agree with it. */
export default function JudgesPage() {
  const judges = useQuery({
    ...queries.judges(),
    refetchInterval: ({ state }) => (state.data?.backlog ? POLL_MS : false),
  });
  return (
    <Page
      title="Judges"
      lead="A model that scores answers gives opinions. Label some of the same answers, and its mistakes are measured and taken out of the results."
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
