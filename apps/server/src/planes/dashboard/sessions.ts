import { sessions as operations } from "@assay/contract";
import { defineRoute } from "../../http/define-route.ts";
import { endedSessionCookie } from "../../http/session-cookie.ts";
import { SESSION_IDLE_MS } from "../../identity/session-tokens.ts";
import { endSessionsOf } from "../../identity/sessions.ts";

export const listSessions = defineRoute(operations.listSessions, async ({ caller }, { control, clock }) => {
  const now = clock.now();
  const stored = await control.sessions.list(caller, now);
  return {
    items: stored
      .filter(({ lastUsedAt }) => now - lastUsedAt < SESSION_IDLE_MS)
      .map((session) => ({ ...session, isCurrent: session.id === caller.sessionId })),
  };
});

export const endSession = defineRoute(
  operations.endSession,
  async ({ params, caller, request, reply }, deps) => {
    await endSessionsOf(caller, [params.id], deps);
    if (params.id === caller.sessionId) reply.header("set-cookie", [...endedSessionCookie(request)]);
  },
);

export const endSessions = defineRoute(operations.endSessions, async ({ caller, request, reply }, deps) => {
  await endSessionsOf(caller, "all", deps);
  if (caller.sessionId !== null) reply.header("set-cookie", [...endedSessionCookie(request)]);
});
