import { useEffect } from "react";
import { connection } from "../api/connection.ts";
import { openSessionNews } from "../api/session-news.ts";

/** Goes on by itself once the person signed in in another tab, and lets that tab know that this one waits. */
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
