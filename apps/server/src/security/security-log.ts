import { problems } from "@assay/contract";
import {
  type Clock,
  type ControlPlane,
  createRefusalWindows,
  type DomainError,
  type LeftOut,
  type OrgSecurityEvent,
  type Refusal,
  SECURITY_RETENTION_MS,
  type SecurityEvent,
  type SecurityEventName,
} from "@assay/domain";
import type { FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { networkOf } from "../http/rate-limits.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The sender of the request, once a credential shows it; null when unknown. */
    principal: Principal | null;
  }
}

/** The caller, as the security log names it. */
export interface Principal {
  readonly orgId: string;
  /** Id of the user or service token, or the first characters of the API key. */
  readonly actor: string | null;
}

/** Something that was done, by the principal of the request. */
export interface SecurityAct extends Pick<Principal, "actor"> {
  readonly name: SecurityEventName;
  /** Null for a platform owner without an organization. */
  readonly orgId: string | null;
  /** The first characters of the key or token that it is about. */
  readonly subject?: string;
}

/** Writes security events to the service's log, and keeps the orgs' own events for their admins. */
export interface SecurityLog {
  /** Reports an act; it is stored with the next flush. */
  act(act: SecurityAct, request: FastifyRequest): void;
  /** Reports a refused request, unless a similar one was reported since the last flush. Ignores problems that are not refusals. */
  refuse(problem: DomainError, request: FastifyRequest): void;
  /** Reports how many refusals were left out, stores new events, and removes old ones. */
  flush(): Promise<void>;
  /** Stores what is not stored yet. */
  store(): Promise<void>;
}

/** Events that wait for the database. During an outage, further ones go only to the log. */
const MAX_PENDING = 5_000;
const SIGN_INS: readonly (string | undefined)[] = ["/auth/sign-in", "/auth/callback"];

interface LogDeps {
  readonly control: Pick<ControlPlane, "securityEvents">;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: Logger;
}

/** Makes the security log of this process. */
export function createSecurityLog({ control, clock, newId, log }: LogDeps): SecurityLog {
  const windows = createRefusalWindows();
  let pending: OrgSecurityEvent[] = [];

  function report(event: Omit<SecurityEvent, "id" | "at">): void {
    const { name, ...fields } = event;
    log.info({ event: name, ...fields }, "security event");
    const { orgId } = event;
    if (orgId === null || pending.length >= MAX_PENDING) return;
    pending.push({ ...event, orgId, id: newId(), at: clock.now() });
  }

  async function store(): Promise<void> {
    if (pending.length === 0) return;
    const taken = pending;
    pending = [];
    try {
      await control.securityEvents.append(taken);
    } catch (error) {
      pending = [...taken, ...pending].slice(0, MAX_PENDING);
      throw error;
    }
  }

  return {
    act({ name, orgId, actor, subject }, request) {
      const where = { network: networkOf(request.ip), route: routeOf(request) };
      report({ name, orgId, actor, ...where, reason: null, subject: subject ?? null, leftOut: 0 });
    },
    refuse(problem, request) {
      const refusal = toRefusal(problem, request);
      if (refusal !== null && windows.open(refusal)) report({ ...refusal, subject: null, leftOut: 0 });
    },
    async flush() {
      for (const leftOut of windows.close()) report(toEvent(leftOut));
      await store();
      await control.securityEvents.expire(clock.now() - SECURITY_RETENTION_MS);
    },
    store,
  };
}

function toEvent(leftOut: LeftOut): Omit<SecurityEvent, "id" | "at"> {
  return { ...leftOut, actor: null, route: null, reason: null, subject: null };
}

function toRefusal(problem: DomainError, request: FastifyRequest): Refusal | null {
  const name = nameOf(problem, request);
  if (name === null) return null;
  const { orgId = null, actor = null } = request.principal ?? {};
  const where = { network: networkOf(request.ip), route: routeOf(request) };
  return { name, orgId, actor, ...where, reason: problem.kind };
}

function nameOf({ kind }: DomainError, request: FastifyRequest): SecurityEventName | null {
  const { status } = problems[kind];
  const isRefused = status === 401 || status === 403;
  if (SIGN_INS.includes(request.routeOptions.url))
    return isRefused || kind === "seats-exhausted" ? "security.sign_in.refused" : null;
  if (kind === "passkey-refused") return "security.passkey.refused";
  if (kind === "invalid-signature") return "security.webhook.refused";
  if (status === 401) return "security.credential.refused";
  return isRefused ? "security.permission.refused" : null;
}

/** The pattern, never the address: that may hold a user's id. */
function routeOf({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${routeOptions.url ?? "none"}`;
}
