/** Messages between tabs of one browser about the session they share. */
type SessionNews = "is-anybody-waiting" | "waiting" | "signed-in";

const NAME = "assay-session";

/** Opens the channel between tabs: `onNews` receives, `say` sends. The caller closes it. */
export function openSessionNews(onNews: (news: SessionNews) => void): {
  readonly say: (news: SessionNews) => void;
  readonly close: () => void;
} {
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }: MessageEvent<SessionNews>) => onNews(data);
  return { say: (news) => channel.postMessage(news), close: () => channel.close() };
}
