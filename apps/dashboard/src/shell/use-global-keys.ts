import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { isDialogOpen, isSingleKey } from "../ui/use-single-keys.ts";
import { hearKey } from "./global-keys.ts";

/** Handles the keys that work on every page. */
export function useGlobalKeys(onList: (isOpen: true) => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    let gAt: number | null = null;
    const hear = (event: KeyboardEvent) => {
      // G, Shift and E is G and E.
      if (event.key === "Shift") return;
      const isFree = isSingleKey(event) && !isDialogOpen();
      const heard = hearKey(gAt, { key: event.key, at: event.timeStamp, isFree });
      gAt = heard.gAt;
      if (heard.does?.kind !== "go") return;
      // Handled before the page gets the key: the S of "G, S" must not also store a label in the labeling queue.
      event.preventDefault();
      event.stopPropagation();
      void navigate({ to: heard.does.to });
    };
    // After the page: where it lists its keys itself, nothing more opens.
    const hearList = (event: KeyboardEvent) => {
      const isFree = !event.defaultPrevented && isSingleKey(event) && !isDialogOpen();
      const { does } = hearKey(null, { key: event.key, at: event.timeStamp, isFree });
      if (does?.kind === "list") onList(true);
    };
    window.addEventListener("keydown", hear, { capture: true });
    window.addEventListener("keydown", hearList);
    return () => {
      window.removeEventListener("keydown", hear, { capture: true });
      window.removeEventListener("keydown", hearList);
    };
  }, [navigate, onList]);
}
