import type { FastifyInstance } from "fastify";
import type { Deps } from "../../deps.ts";
import { registerBusinessEvents } from "./business-events.ts";
import { registerClerk } from "./clerk.ts";
import { registerStripe } from "./stripe.ts";

/** Registers the webhooks, each with its own kind of signature (spec §1). */
export function registerWebhooks(app: FastifyInstance, deps: Deps): void {
  app.register(async (plane) => registerBusinessEvents(plane, deps));
  app.register(async (plane) => registerClerk(plane, deps));
  app.register(async (plane) => registerStripe(plane, deps));
}
