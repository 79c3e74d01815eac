import { Page } from "../../ui/Page.tsx";

export default function JudgesPage() {
  return <Page title="Judges">…</Page>;
}
