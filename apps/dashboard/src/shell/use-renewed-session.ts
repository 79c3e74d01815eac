import { useEffect } from "react";
import { connection } from "../api/connection.ts";
import { openSessionNews } from "../api/session-news.ts";

/** Continues after a sign-in in another tab, and tells that tab that this one is waiting. */
export function useRenewedSession(onRenewed: () => void): void {
  useEffect(() => {
    const news = openSessionNews((heard) => {
      if (connection.state() !== "session-ended") return;
      if (heard === "is-anybody-waiting") news.say("waiting");
      if (heard === "signed-in") onRenewed();
    });
    return news.close;
  }, [onRenewed]);
}
