import { Page } from "../../ui/Page.tsx";

export default function SettingsPage() {
  return <Page title="Settings">…</Page>;
}
