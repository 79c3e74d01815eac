import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Page, Panel } from "../../ui/Page.tsx";
import { useApiKey } from "../start/use-api-key.ts";
import { Arrivals } from "./Arrivals.tsx";
import { Environment } from "./Environment.tsx";
import { Instrumentations } from "./Instrumentations.tsx";

/** Polling interval until something counts, and from then on; hidden tabs pause. */
const [LOOK_MS, LATER_MS] = [2_000, 10_000];

/** For applications that already report their model calls: the variables to set, and what arrives. */
export default function InstrumentedPage() {
  const secretKey = useApiKey("secret");
  const telemetry = useQuery({
    ...queries.telemetry(),
    refetchInterval: ({ state: { data } }) => (data?.last_call?.outcome === "event" ? LATER_MS : LOOK_MS),
  });
  return (
    <Page
      title="Already instrumented?"
      lead="Send Assay the traces that you already have: no client library, no new code."
      actions={<LinkButton to="/start">First steps</LinkButton>}
    >
      <Panel title="Set these variables">
        <Environment secretKey={secretKey} />
      </Panel>
      <Panel title="See what arrives">
        <Loaded query={telemetry} lines={3}>
          {(data) => <Arrivals summary={data} keyUsedAt={secretKey.summary?.last_used_at ?? null} />}
        </Loaded>
        {telemetry.data !== undefined && telemetry.error ? (
          <ProblemNotice problem={telemetry.error} onRetry={() => telemetry.refetch()} />
        ) : null}
      </Panel>
      <Panel title="What your instrumentations report">
        <Loaded query={telemetry} lines={3}>
          {(data) => <Instrumentations instrumentations={data.instrumentations} />}
        </Loaded>
      </Panel>
    </Page>
  );
}
