import { Page } from "../../ui/Page.tsx";

export default function StartPage() {
  return <Page title="First steps">…</Page>;
}
