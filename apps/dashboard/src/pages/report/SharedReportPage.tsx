import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import { Button } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Skeleton, useTitle } from "../../ui/Page.tsx";
import { Time } from "../../ui/Time.tsx";
import { Report } from "./Report.tsx";

/** The report behind a link, for people without an account. The token is the address's fragment, which no server sees. */
export default function SharedReportPage() {
  const cache = useQueryClient();
  const token = location.hash.slice(1);
  const shared = useQuery({
    queryKey: ["shared-report", token],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const found = await unwrap(api.POST("/v1/shared-report", { body: { token } }));
      // The report also reads the versions, which this visitor may not load.
      const versions = queries.versions(found.experiment.id);
      cache.setQueryDefaults(versions.queryKey, { staleTime: Number.POSITIVE_INFINITY });
      cache.setQueryData(versions.queryKey, found.versions);
      return found;
    },
  });
  useTitle("Shared report");
  if (shared.data === undefined)
    return (
      <main className="entrance">
        {shared.error ? (
          <ProblemNotice problem={shared.error} onRetry={() => shared.refetch()} />
        ) : (
          <Skeleton />
        )}
      </main>
    );
  const { experiment, overview, results, expires_at } = shared.data;
  return (
    <main className="main shared-report">
      <Report
        experiment={experiment}
        overview={overview}
        run={results}
        actions={
          <div className="report-actions">
            <Button look="primary" onPress={() => print()}>
              Print
            </Button>
            <p className="muted">
              This link is valid until <Time at={expires_at} />.
            </p>
          </div>
        }
      />
    </main>
  );
}
