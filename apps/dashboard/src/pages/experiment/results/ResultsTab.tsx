import { Page } from "../../../ui/Page.tsx";

export default function ResultsTab() {
  return <Page title="ResultsTab">…</Page>;
}
