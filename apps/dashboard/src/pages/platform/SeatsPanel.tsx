import { useMutation } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";
import { counted } from "../../format/numbers.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";

/** Tells the identity provider how many seats each org has. */
export function SeatsPanel() {
  const resync = useMutation({
    mutationFn: () => unwrap(api.POST("/v1/admin/seats/resync")),
    onSuccess: (report) => announce(inWords(report)),
  });
  return (
    <Panel title="Seats at the identity provider">
      <p>
        The seats of each plan are pushed to the provider by themselves. Push them again after its settings
        changed; it does no harm.
      </p>
      {resync.error ? <ProblemNotice problem={resync.error} /> : null}
      {resync.data ? <Outcome report={resync.data} /> : null}
      <Button onPress={() => resync.mutate()} isPending={resync.isPending}>
        Push the seats again
      </Button>
    </Panel>
  );
}

function Outcome({ report }: { readonly report: Wire<"SeatReport"> }) {
  return (
    <div role="status">
      <p>{inWords(report)}</p>
      <ul>
        {report.failed.map(({ org_id: org, detail }) => (
          <li key={org}>
            <code>{org}</code>: {detail}
          </li>
        ))}
      </ul>
    </div>
  );
}

function inWords({ provider, pushed, failed }: Wire<"SeatReport">): string {
  if (provider === "local") return "Members are kept by Assay itself: there is no provider to tell.";
  return `${provider} took the seats of ${counted(pushed, "organisation")}; ${counted(failed.length, "failure")}.`;
}
