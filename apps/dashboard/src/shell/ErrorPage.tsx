import type { ErrorComponentProps } from "@tanstack/react-router";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";

/** What stands in place of a page that failed: a fault of ours, or a part of the page that could not be loaded. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const message = error instanceof Error ? error.message : String(error);
  const isLoading = /dynamically imported module|Importing a module/.test(message);
  return (
    <Notice
      tone="bad"
      role="alert"
      title={isLoading ? "A part of the page could not be loaded" : "The page ran into a fault"}
      actions={<Button onPress={() => location.reload()}>Load the page anew</Button>}
    >
      <p>
        {isLoading
          ? "The connection is lost, or the service was updated since this page was opened. Drafts of forms are kept."
          : message}
      </p>
    </Notice>
  );
}
