import { useEffect, useState } from "react";
import { onAnnounce } from "../ui/announce.ts";

const SHOWN_MS = 5_000;

/** Shows announcements, and lets screen readers read them. */
export function Announcer() {
  const [text, setText] = useState("");
  useEffect(() => onAnnounce(setText), []);
  useEffect(() => {
    if (text === "") return undefined;
    const timer = setTimeout(() => setText(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p className={text === "" ? "announcer" : "announcer is-shown"} role="status">
      {text}
    </p>
  );
}
