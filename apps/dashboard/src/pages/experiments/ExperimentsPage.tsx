import { Page } from "../../ui/Page.tsx";

export default function ExperimentsPage() {
  return <Page title="Experiments">…</Page>;
}
