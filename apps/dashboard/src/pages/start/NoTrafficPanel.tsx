import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.ts";
import { Loaded } from "../../ui/Loaded.tsx";
import { Panel } from "../../ui/Page.tsx";
import { ExperimentCode } from "./ExperimentCode.tsx";
import { FirstCall } from "./FirstCall.tsx";

/** For an experiment without users: the code, and the first call as it arrives. */
export function NoTrafficPanel({ experimentId }: { readonly experimentId: string }) {
  const experiment = useQuery(queries.experiment(experimentId));
  return (
    <Panel title="No users in this experiment yet">
      <FirstCall experimentId={experimentId} />
      <Loaded query={experiment}>{(data) => <ExperimentCode experiment={data} />}</Loaded>
    </Panel>
  );
}
