import type { Wire } from "../../api/types.ts";
import { ShownOnce } from "../../ui/ShownOnce.tsx";
import { Time } from "../../ui/Time.tsx";

interface LinkOnceProps {
  readonly invitation: Wire<"Invitation">;
  readonly onDone: () => void;
}

/** A one-time sign-in link, to be passed on by hand. */
export function LinkOnce({ invitation, onDone }: LinkOnceProps) {
  const { email, role, url, expires_at: expiresAt } = invitation;
  return (
    <ShownOnce
      name={`Sign-in link of ${email}, ${role}`}
      value={url}
      onDone={onDone}
      done="I have passed it on"
    >
      <p>
        Assay sends no mail: pass the link on yourself, where only this person reads it, because whoever opens
        it first is signed in as them. It works once, until <Time at={expiresAt} />, and is shown only now.
      </p>
    </ShownOnce>
  );
}
