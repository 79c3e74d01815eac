import { Link } from "@tanstack/react-router";
import { Menu, X } from "lucide-react";
import type { WhoAmI } from "../api/types.ts";
import { Button } from "../ui/Button.tsx";
import { PaletteButton } from "./PaletteButton.tsx";
import { useSignOut } from "./use-sign-out.ts";

interface TopBarProps {
  readonly me: WhoAmI;
  /** On a narrow screen, a button opens the navigation and the end of the bar. */
  readonly isMenuOpen: boolean;
  readonly onMenu: () => void;
  readonly onListKeys: () => void;
}

/** The top bar: home, command palette, API docs, feedback, the signed-in person and sign-out. */
export function TopBar({ me, isMenuOpen, onMenu, onListKeys }: TopBarProps) {
  return (
    <header className="top">
      <Link className="brand" to="/">
        <img src="/icon.svg" alt="" width="24" height="24" />
        Assay
      </Link>
      <PaletteButton me={me} onListKeys={onListKeys} />
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
  const signOut = useSignOut();
  return (
    <Button look="quiet" onPress={() => signOut.mutate()} isPending={signOut.isPending}>
      Sign out
    </Button>
  );
}
