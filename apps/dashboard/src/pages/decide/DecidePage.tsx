import { Page } from "../../ui/Page.tsx";

export default function DecidePage() {
  return <Page title="Decide">…</Page>;
}
