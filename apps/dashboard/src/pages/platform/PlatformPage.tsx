import { Page } from "../../ui/Page.tsx";

export default function PlatformPage() {
  return <Page title="Platform">…</Page>;
}
