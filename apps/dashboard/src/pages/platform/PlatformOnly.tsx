import type { ReactNode } from "react";
import { useMe } from "../../shell/use-me.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Empty, Page } from "../../ui/Page.tsx";

/** Shows its content to platform owners; others see why they cannot access it. */
export function PlatformOnly({ children }: { readonly children: ReactNode }) {
  const me = useMe();
  if (me.platform_owner) return children;
  return (
    <Page title="Platform">
      <Empty
        title="Only platform owners can see this page"
        actions={<LinkButton to="/">All experiments</LinkButton>}
      >
        <p>
          It shows all organizations of the installation. You are signed in as <strong>{me.email}</strong>.
          Roles in an organization give no access.
        </p>
        <p className="muted">
          The operator of this installation lists platform owners by sign-in email in{" "}
          <code>ASSAY_PLATFORM_OWNER_EMAILS</code>.
        </p>
      </Empty>
    </Page>
  );
}
