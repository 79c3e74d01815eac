import { Page } from "../../ui/Page.tsx";

export default function NewExperimentPage() {
  return <Page title="New experiment">…</Page>;
}
