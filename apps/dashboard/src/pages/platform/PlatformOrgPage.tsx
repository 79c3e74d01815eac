import { Page } from "../../ui/Page.tsx";

export default function PlatformOrgPage() {
  return <Page title="Org">…</Page>;
}
