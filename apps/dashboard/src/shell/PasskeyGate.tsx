import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { confirmWithPasskey, passkeysQuery } from "../api/passkeys.ts";
import { AddPasskey } from "../ui/AddPasskey.tsx";
import { Button } from "../ui/Button.tsx";
import { Loaded } from "../ui/Loaded.tsx";
import { ProblemNotice } from "../ui/Notice.tsx";
import { useTitle } from "../ui/Page.tsx";

/** The second step of a sign-in where the organization requires a passkey. */
export function PasskeyGate() {
  useTitle("Use your passkey");
  const cache = useQueryClient();
  const passkeys = useQuery(passkeysQuery());
  const open = () => cache.resetQueries();
  return (
    <main className="entrance">
      <section className="panel" aria-label="Use your passkey">
        <h1>Your organization requires a passkey</h1>
        <Loaded query={passkeys} lines={2}>
          {({ items }) =>
            items.length === 0 ? (
              <>
                <p>Add your first passkey: on this device, on your phone, or on a security key.</p>
                <AddPasskey onAdded={open} />
              </>
            ) : (
              <UsePasskey onUsed={open} />
            )
          }
        </Loaded>
      </section>
    </main>
  );
}

function UsePasskey({ onUsed }: { readonly onUsed: () => void }) {
  const using = useMutation({ mutationFn: confirmWithPasskey, onSuccess: onUsed });
  return (
    <>
      <p>You signed in with a link. Now use your passkey.</p>
      <p>
        <Button look="primary" onPress={() => using.mutate()} isPending={using.isPending}>
          Use your passkey
        </Button>
      </p>
      {using.error ? <ProblemNotice problem={using.error} /> : null}
      <p className="muted">Lost it? Ask an admin to remove your passkeys and give you a new sign-in link.</p>
    </>
  );
}
