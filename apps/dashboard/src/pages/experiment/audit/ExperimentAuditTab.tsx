import { Page } from "../../../ui/Page.tsx";

export default function ExperimentAuditTab() {
  return <Page title="ExperimentAuditTab">…</Page>;
}
