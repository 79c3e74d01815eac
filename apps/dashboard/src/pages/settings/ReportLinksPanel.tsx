import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";

const settingQuery = () =>
  queryOptions({
    queryKey: ["report-link-setting"],
    queryFn: () => unwrap(api.GET("/v1/report-link-setting")),
  });

/** Whether links may show reports to people without an account. Admins can change it. */
export function ReportLinksPanel() {
  const me = useMe();
  const setting = useQuery(settingQuery());
  return (
    <Panel title="Links to reports">
      <Loaded query={setting} lines={2}>
        {({ allowed }) => (
          <>
            <p>
              {allowed
                ? "Members can make links that show a report, including its prompts, to people without an account."
                : "Links to reports are forbidden. Existing links show nothing."}
            </p>
            {isAdmin(me) ? <Change isAllowed={allowed} /> : null}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Change({ isAllowed }: { readonly isAllowed: boolean }) {
  const cache = useQueryClient();
  const change = useMutation({
    mutationFn: () => unwrap(api.PUT("/v1/report-link-setting", { body: { allowed: !isAllowed } })),
    onSuccess: async () => {
      announce(isAllowed ? "Links to reports are forbidden." : "Links to reports are allowed.");
      await cache.invalidateQueries(settingQuery());
    },
  });
  return (
    <>
      <Button onPress={() => change.mutate()} isPending={change.isPending}>
        {isAllowed ? "Forbid links" : "Allow links"}
      </Button>
      {change.error ? <ProblemNotice problem={change.error} /> : null}
    </>
  );
}
