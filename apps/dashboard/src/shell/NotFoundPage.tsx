import { LinkButton } from "../ui/Button.tsx";
import { Empty, useTitle } from "../ui/Page.tsx";

/** Shown for an unknown URL. */
export function NotFoundPage() {
  useTitle("Not found");
  return (
    <main className="entrance">
      <Empty title="Page not found" actions={<LinkButton to="/">All experiments</LinkButton>}>
        <p>The link may be outdated or incomplete.</p>
      </Empty>
    </main>
  );
}
