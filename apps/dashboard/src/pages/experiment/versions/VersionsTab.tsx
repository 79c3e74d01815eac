import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { queries } from "../../../api/queries.ts";
import { usersOf } from "../../../format/states.ts";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { memberNamesQuery } from "./queries.ts";
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
