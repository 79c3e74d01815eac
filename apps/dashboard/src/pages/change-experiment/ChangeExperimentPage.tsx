import { Page } from "../../ui/Page.tsx";

export default function ChangeExperimentPage() {
  return <Page title="Change">…</Page>;
}
