import { Page } from "../../../ui/Page.tsx";

export default function HealthTab() {
  return <Page title="HealthTab">…</Page>;
}
