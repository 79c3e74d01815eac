import { Page } from "../../../ui/Page.tsx";

export default function VersionsTab() {
  return <Page title="VersionsTab">…</Page>;
}
