import { Page } from "../../ui/Page.tsx";

export default function KeysPage() {
  return <Page title="Keys">…</Page>;
}
