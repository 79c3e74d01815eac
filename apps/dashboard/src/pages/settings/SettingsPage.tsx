import { Link } from "@tanstack/react-router";
import { useMe } from "../../shell/use-me.ts";
import { CopyButton } from "../../ui/Copy.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Page, Panel } from "../../ui/Page.tsx";
import { InvitationsPanel } from "./InvitationsPanel.tsx";
import { MembersPanel } from "./MembersPanel.tsx";
import { PasskeyRequirement } from "./PasskeyRequirement.tsx";
import { PricesPanel } from "./PricesPanel.tsx";
import { ReportLinksPanel } from "./ReportLinksPanel.tsx";
import { TokensPanel } from "./TokensPanel.tsx";
import { UserDataPanel } from "./UserDataPanel.tsx";

export default function SettingsPage() {
  return (
    <Page
      title="Settings"
      lead="Your organization, its members, service tokens, model prices, and your users' data."
    >
      <OrgPanel />
      <MembersPanel />
      <InvitationsPanel />
      <PasskeyRequirement />
      <ReportLinksPanel />
      <TokensPanel />
      <PricesPanel />
      <UserDataPanel />
    </Page>
  );
}

function OrgPanel() {
  const me = useMe();
  return (
    <Panel title="Organization" actions={<CopyButton label="Copy id" text={me.org_id} />}>
      <Facts
        facts={[
          ["Organization id", <code key="org">{me.org_id}</code>],
          ["You", me.name === me.email ? me.email : `${me.name}, ${me.email}`],
          ["Your role", me.role],
          [
            "More",
            <span key="more">
              <Link to="/usage">Usage & plan</Link>&nbsp;· <Link to="/keys">Keys</Link>&nbsp;·{" "}
              <Link to="/alerts">Alerts</Link>&nbsp;· <Link to="/audit">Audit</Link>&nbsp;·{" "}
              <Link to="/security">Security</Link>
            </span>,
          ],
        ]}
      />
    </Panel>
  );
}
