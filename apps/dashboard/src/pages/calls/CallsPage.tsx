import { Page } from "../../ui/Page.tsx";

export default function CallsPage() {
  return <Page title="Calls">…</Page>;
}
