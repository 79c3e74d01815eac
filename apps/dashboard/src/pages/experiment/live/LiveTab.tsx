import { Page } from "../../../ui/Page.tsx";

export default function LiveTab() {
  return <Page title="LiveTab">…</Page>;
}
