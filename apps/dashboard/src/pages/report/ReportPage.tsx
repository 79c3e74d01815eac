import { Page } from "../../ui/Page.tsx";

export default function ReportPage() {
  return <Page title="Report">…</Page>;
}
