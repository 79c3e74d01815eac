import { Page } from "../../ui/Page.tsx";

export default function MetricsPage() {
  return <Page title="Metrics">…</Page>;
}
