import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { addPasskey, passkeysQuery } from "../api/passkeys.ts";
import { announce } from "./announce.ts";
import { Button } from "./Button.tsx";
import { TextField } from "./Field.tsx";
import { ProblemNotice } from "./Notice.tsx";

/** Asks for a name, then has the browser make a passkey. */
export function AddPasskey({ onAdded }: { readonly onAdded?: () => void }) {
  const cache = useQueryClient();
  const [name, setName] = useState("");
  const adding = useMutation({
    mutationFn: () => addPasskey(name.trim()),
    onSuccess: async () => {
      setName("");
      announce("Passkey added.");
      await cache.invalidateQueries(passkeysQuery());
      onAdded?.();
    },
  });
  return (
    <form
      className="row settings-form"
      onSubmit={(event) => {
        event.preventDefault();
        adding.mutate();
      }}
    >
      <TextField
        label="Name of the new passkey"
        placeholder="Work laptop"
        value={name}
        onChange={setName}
        maxLength={100}
        autoComplete="off"
      />
      <Button type="submit" isPending={adding.isPending} isDisabled={name.trim() === ""}>
        Add a passkey
      </Button>
      {adding.error ? <ProblemNotice problem={adding.error} /> : null}
    </form>
  );
}
