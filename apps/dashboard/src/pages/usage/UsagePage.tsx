import { Page } from "../../ui/Page.tsx";

export default function UsagePage() {
  return <Page title="Usage">…</Page>;
}
