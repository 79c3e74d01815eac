import { lazy, Suspense, useEffect, useState } from "react";
import type { WhoAmI } from "../api/types.ts";
import { Button } from "../ui/Button.tsx";
import { isDialogOpen, isTyping } from "../ui/use-single-keys.ts";

const CommandPalette = lazy(() =>
  import("./CommandPalette.tsx").then(({ CommandPalette: component }) => ({ default: component })),
);

interface PaletteButtonProps {
  readonly me: WhoAmI;
  readonly onListKeys: () => void;
}

/** Opens the command palette: by button, by "/" outside fields, and by Ctrl+K or ⌘K anywhere. */
export function PaletteButton({ me, onListKeys }: PaletteButtonProps) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isPaletteKey(event)) return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <Button className="top-search" onPress={() => setOpen(true)} aria-haspopup="dialog">
        Search or go to… <kbd>/</kbd>
      </Button>
      {isOpen ? (
        <Suspense fallback={null}>
          <CommandPalette me={me} onListKeys={onListKeys} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

function isPaletteKey(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.altKey) return false;
  if (event.key.toLowerCase() === "k") return event.ctrlKey || event.metaKey;
  return event.key === "/" && !event.ctrlKey && !event.metaKey && !isTyping(event.target) && !isDialogOpen();
}
