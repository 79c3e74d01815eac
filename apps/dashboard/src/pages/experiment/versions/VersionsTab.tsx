import { queryOptions, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { api, unwrap } from "../../../api/client.ts";
import { queries } from "../../../api/queries.ts";
import { usersOf } from "../../../format/states.ts";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { VersionComparison } from "./VersionComparison.tsx";
import { VersionList } from "./VersionList.tsx";
import "./versions.css";

/** All versions of the experiment: who saved them, when, and what changed. */
export default function VersionsTab() {
  const { id } = useParams({ from: "/shell/experiments/$id/versions" });
  const search = useSearch({ from: "/shell/experiments/$id/versions" });
  const navigate = useNavigate({ from: "/experiments/$id/versions" });
  const versions = useQuery(queries.versions(id));
  const overview = useQuery(queries.experimentOverview(id)).data;
  const names = useQuery(memberNamesQuery()).data;
  return (
    <Loaded query={versions} lines={10}>
      {(data) => (
        <>
          <Panel title="Compare two versions">
            <VersionComparison
              versions={data}
              search={search}
              onSearch={(change) =>
                navigate({ search: (before) => ({ ...before, ...change }), replace: true })
              }
            />
          </Panel>
          <Panel title="All versions, newest first">
            <VersionList
              versions={data}
              names={names}
              users={overview === undefined ? null : usersOf(overview)}
            />
          </Panel>
        </>
      )}
    </Loaded>
  );
}

/** Names by user id, for the first 200 members. */
function memberNamesQuery() {
  return queryOptions({
    queryKey: ["members", "names"],
    queryFn: async (): Promise<ReadonlyMap<string, string>> => {
      const { items } = await unwrap(api.GET("/v1/members", { params: { query: { limit: 200 } } }));
      return new Map(items.map(({ user_id, name, email }) => [user_id, name || email]));
    },
    staleTime: 60_000,
  });
}
