import { useMutation, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { identityQuery } from "../../api/identity.ts";
import type { Wire } from "../../api/types.ts";
import { counted } from "../../format/numbers.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";

/** Pushes the number of seats of each org to Clerk. Shows nothing with other identities, which take none. */
export function SeatsPanel() {
  const identity = useQuery(identityQuery());
  const resync = useMutation({
    mutationFn: () => unwrap(api.POST("/v1/admin/seats/resync")),
    onSuccess: (report) => announce(inWords(report)),
  });
  if (identity.data?.kind !== "clerk") return null;
  return (
    <Panel title="Seats at the identity provider">
      <p>
        Each plan's seats are pushed to the provider automatically. You can push them again after a change to
        its settings.
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
  return `Pushed the seats of ${counted(pushed, "organization")} to ${provider}; ${counted(failed.length, "failure")}.`;
}
