import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Menu, X } from "lucide-react";
import { connectionLost, toProblem } from "../api/problem.ts";
import type { WhoAmI } from "../api/types.ts";
import { announce } from "../ui/announce.ts";
import { Button } from "../ui/Button.tsx";
import { dropAllDrafts } from "../ui/use-draft.ts";
import { PaletteButton } from "./PaletteButton.tsx";

interface TopBarProps {
  readonly me: WhoAmI;
  /** On a narrow screen, a button opens the navigation and the end of the bar. */
  readonly isMenuOpen: boolean;
  readonly onMenu: () => void;
}

/** The top bar: home, command palette, API docs, feedback, the signed-in person and sign-out. */
export function TopBar({ me, isMenuOpen, onMenu }: TopBarProps) {
  return (
    <header className="top">
      <Link className="brand" to="/">
        <img src="/icon.svg" alt="" width="24" height="24" />
        Assay
      </Link>
      <PaletteButton me={me} />
      <Button className="top-menu" aria-expanded={isMenuOpen} aria-controls="navigation" onPress={onMenu}>
        {isMenuOpen ? <X size={16} aria-hidden="true" /> : <Menu size={16} aria-hidden="true" />} Menu
      </Button>
      <div className="top-end">
        <a href="/docs">Docs</a>
        <Link to="/feedback">Feedback</Link>
        <span className="who" title={me.email}>
          <Link to="/account">{me.name || me.email}</Link>{" "}
          <span className="muted">({me.org_name ? `${me.role} of ${me.org_name}` : me.role})</span>
        </span>
        <SignOut />
      </div>
    </header>
  );
}

function SignOut() {
  const cache = useQueryClient();
  const signOut = useMutation({
    mutationFn: endSession,
    onSuccess: () => {
      cache.clear();
      dropAllDrafts();
      location.assign("/sign-in");
    },
    onError: (problem) => announce(`You are still signed in. ${problem.message}`),
  });
  return (
    <Button look="quiet" onPress={() => signOut.mutate()} isPending={signOut.isPending}>
      Sign out
    </Button>
  );
}

/** The route is outside /v1, so no type describes it. */
async function endSession(): Promise<void> {
  const response = await fetch("/auth/sign-out", { method: "POST" }).catch(() => {
    throw connectionLost();
  });
  if (!response.ok) throw toProblem(response, await response.json().catch(() => null));
}
