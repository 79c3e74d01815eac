import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Panel } from "../../ui/Page.tsx";
import { CallBrowser } from "../calls/CallBrowser.tsx";
import type { CallSearch } from "../calls/call-search.ts";

/** The model calls of this experiment. */
export default function CallsTab() {
  const { id } = useParams({ from: "/shell/experiments/$id/calls" });
  const search: CallSearch = useSearch({ from: "/shell/experiments/$id/calls" });
  const navigate = useNavigate({ from: "/experiments/$id/calls" });
  return (
    <Panel title="Calls">
      <CallBrowser
        key={id}
        experimentId={id}
        search={search}
        onSearch={(change, how) =>
          navigate({ search: (before) => ({ ...before, ...change }), replace: how === "replace" })
        }
      />
    </Panel>
  );
}
