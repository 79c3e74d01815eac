import { Page } from "../../../ui/Page.tsx";

export default function CallsTab() {
  return <Page title="CallsTab">…</Page>;
}
