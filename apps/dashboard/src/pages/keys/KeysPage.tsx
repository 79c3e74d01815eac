import { Page } from "../../ui/Page.tsx";
import { KeysPanel } from "./KeysPanel.tsx";
import { SignatureTool } from "./SignatureTool.tsx";
import { WebhookPanel } from "./WebhookPanel.tsx";

export default function KeysPage() {
  return (
    <Page
      title="Keys & webhooks"
      lead="Credentials for your application and your backend: one active key per scope, and one webhook secret."
    >
      <KeysPanel />
      <WebhookPanel />
      <SignatureTool />
    </Page>
  );
}
