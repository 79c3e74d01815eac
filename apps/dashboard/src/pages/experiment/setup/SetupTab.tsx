import { Page } from "../../../ui/Page.tsx";

export default function SetupTab() {
  return <Page title="SetupTab">…</Page>;
}
