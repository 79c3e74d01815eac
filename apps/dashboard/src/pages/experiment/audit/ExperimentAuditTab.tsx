import { Link, useParams } from "@tanstack/react-router";
import { Panel } from "../../../ui/Page.tsx";
import { AuditList } from "../../audit/AuditList.tsx";

/** Who did what to this experiment. */
export default function ExperimentAuditTab() {
  const { id } = useParams({ from: "/shell/experiments/$id/audit" });
  return (
    <Panel title="Who did what to this experiment" actions={<Link to="/audit">Audit of everything</Link>}>
      <AuditList targetId={id} />
    </Panel>
  );
}
