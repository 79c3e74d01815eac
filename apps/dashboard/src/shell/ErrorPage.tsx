import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { Button, LinkButton } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";
import { Empty, Page } from "../ui/Page.tsx";

/** Shown inside the shell in place of a page that failed, because of a bug or of code that could not be loaded. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const message = error instanceof Error ? error.message : String(error);
  const isLoading = /dynamically imported module|Importing a module/.test(message);
  const tryAgain = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Notice
      tone="bad"
      role="alert"
      title={isLoading ? "This page could not be loaded" : "Something went wrong on this page"}
      actions={
        // A browser may remember that a module failed; only a new document requests it again.
        <Button onPress={isLoading ? () => location.reload() : tryAgain}>Try again</Button>
      }
    >
      <p>
        {isLoading
          ? "The connection was lost, or the dashboard was updated since you opened it. Your drafts are kept."
          : message}
      </p>
    </Notice>
  );
}

/** Shown for an unknown URL, inside the shell. */
export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <NothingHere />
    </Page>
  );
}

/** Shown for an unknown part of a page, such as a tab. */
export function NothingHere() {
  return (
    <Empty
      title="There is nothing at this address."
      actions={<LinkButton to="/">All experiments</LinkButton>}
    >
      <p>The link may be outdated or incomplete.</p>
    </Empty>
  );
}
