import type { ConnectionState } from "../api/connection.ts";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";

/** Shows that the service does not answer or that the session has ended. The page stays. */
export function ConnectionBanner({
  state,
  onRetry,
}: {
  readonly state: ConnectionState;
  readonly onRetry: () => void;
}) {
  if (state === "fine") return null;
  const actions = <Button onPress={onRetry}>Try again</Button>;
  if (state === "lost") {
    return (
      <Notice tone="warn" role="alert" title="The connection to Assay is lost" actions={actions}>
        <p>The page keeps your input and shows the last data. Check that the service is running.</p>
      </Notice>
    );
  }
  return (
    <Notice tone="warn" role="alert" title="Your session has ended" actions={actions}>
      <p>
        The page keeps your input.{" "}
        <a href="/sign-in" target="_blank" rel="noreferrer">
          Sign in in another tab
        </a>
        , then try again here.
      </p>
    </Notice>
  );
}
