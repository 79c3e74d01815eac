import type { ErrorComponentProps } from "@tanstack/react-router";
import { Button, LinkButton } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";
import { Empty, useTitle } from "../ui/Page.tsx";

/** Shown instead of a page that failed: a bug, or a part of the page that could not be loaded. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const message = error instanceof Error ? error.message : String(error);
  const isLoading = /dynamically imported module|Importing a module/.test(message);
  return (
    <Notice
      tone="bad"
      role="alert"
      title={isLoading ? "Part of the page could not be loaded" : "Something went wrong on this page"}
      actions={<Button onPress={() => location.reload()}>Reload the page</Button>}
    >
      <p>
        {isLoading
          ? "The connection was lost, or the service was updated since you opened this page. Drafts are kept."
          : message}
      </p>
    </Notice>
  );
}

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
