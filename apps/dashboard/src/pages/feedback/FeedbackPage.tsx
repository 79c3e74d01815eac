import { Page } from "../../ui/Page.tsx";

export default function FeedbackPage() {
  return <Page title="Feedback">…</Page>;
}
