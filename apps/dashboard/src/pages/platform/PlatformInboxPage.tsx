import { Page } from "../../ui/Page.tsx";

export default function PlatformInboxPage() {
  return <Page title="Inbox">…</Page>;
}
