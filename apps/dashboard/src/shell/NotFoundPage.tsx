import { LinkButton } from "../ui/Button.tsx";
import { Empty, useTitle } from "../ui/Page.tsx";

/** An address that leads nowhere. */
export function NotFoundPage() {
  useTitle("Not found");
  return (
    <main className="entrance">
      <Empty
        title="There is no page at this address."
        actions={<LinkButton to="/">To the experiments</LinkButton>}
      >
        <p>The link may be old, or a part of it was lost.</p>
      </Empty>
    </main>
  );
}
