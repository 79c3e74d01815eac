import { Link, useParams } from "@tanstack/react-router";
import { Panel } from "../../ui/Page.tsx";
import { AuditList } from "../audit/AuditList.tsx";

/** The audit entries of this experiment. */
export default function ExperimentAuditTab() {
  const { id } = useParams({ from: "/shell/experiments/$id/audit" });
  return (
    <Panel title="Changes to this experiment" actions={<Link to="/audit">All audit entries</Link>}>
      <AuditList targetId={id} />
    </Panel>
  );
}
