import type { ReactNode } from "react";
import { useMe } from "../../shell/use-me.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Empty, Page } from "../../ui/Page.tsx";

/** Shows its content to the platform owner; to anybody else, why not and who could. */
export function PlatformOnly({ children }: { readonly children: ReactNode }) {
  const me = useMe();
  if (me.platform_owner) return children;
  return (
    <Page title="Platform">
      <Empty
        title="Only the platform owner may see this"
        actions={<LinkButton to="/">To the experiments</LinkButton>}
      >
        <p>
          These pages show every organisation of the installation. You are signed in as{" "}
          <strong>{me.email}</strong>, and no role in an organisation opens them.
        </p>
        <p className="muted">
          Whoever runs Assay names the platform owners by sign-in email in{" "}
          <code>ASSAY_PLATFORM_OWNER_EMAILS</code>.
        </p>
      </Empty>
    </Page>
  );
}
