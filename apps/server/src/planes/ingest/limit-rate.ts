import type { FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../../deps.ts";
import { holderOf } from "./raw-request.ts";

/** Makes the hook that takes one request of the key's rate: a refused one never has its body read. */
export function limitRate(
  policy: "assign" | "events" | "config" | "import",
  { rateLimits }: Pick<Deps, "rateLimits">,
) {
  const limiter = rateLimits[policy];
  return (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
    limiter.take(holderOf(request));
    done();
  };
}
