import type { ConnectionState } from "../api/connection.ts";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";

/** Says that the service does not answer or the session is over. Nothing on the page goes away. */
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
        <p>The page keeps what you typed and shows what it last read. Check that the service is running.</p>
      </Notice>
    );
  }
  return (
    <Notice tone="warn" role="alert" title="Your session has ended" actions={actions}>
      <p>
        The page keeps what you typed.{" "}
        <a href="/sign-in" target="_blank" rel="noreferrer">
          Sign in in another tab
        </a>
        , then try again here.
      </p>
    </Notice>
  );
}
