import { Page } from "../../ui/Page.tsx";
import { KeysPanel } from "./KeysPanel.tsx";
import { SignatureTool } from "./SignatureTool.tsx";
import { WebhookPanel } from "./WebhookPanel.tsx";

export default function KeysPage() {
  return (
    <Page
      title="Keys & webhooks"
      lead="What your application and your backend identify themselves with. One active key per scope, one webhook secret."
    >
      <KeysPanel />
      <WebhookPanel />
      <SignatureTool />
    </Page>
  );
}
