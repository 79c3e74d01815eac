import { EVENT_SOURCES, EVENT_TYPES } from "@assay/domain";
import { Type } from "typebox";
import { operation } from "../operation.ts";
import { Id, OneOf, PageQuery, strict } from "../schemas/shared.ts";
import { EVENT_SORTS, StoredEventDetail, StoredEventPage } from "../schemas/stored-events.ts";

const member = { kind: "session", role: "member" } as const;

export const listStoredEvents = operation({
  operationId: "listStoredEvents",
  method: "GET",
  path: "/v1/experiments/{id}/events",
  plane: "dashboard",
  summary:
    "Lists an experiment's raw events, newest first by default. Texts are truncated; expired events are not listed.",
  auth: member,
  params: Type.Object({ id: Id }),
  query: Type.Object(
    {
      ...PageQuery.properties,
      // A cursor contains an event id: up to 128 characters, each of several bytes.
      cursor: Type.Optional(Type.String({ maxLength: 1_500 })),
      type: Type.Optional(OneOf(EVENT_TYPES)),
      variant: Type.Optional(
        Type.String({ minLength: 1, maxLength: 100, description: "The event's `arm`." }),
      ),
      user_id: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
      model: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      error: Type.Optional(OneOf(["true", "false"])),
      source: Type.Optional(OneOf(EVENT_SOURCES, { description: "How the events were sent." })),
      key_prefix: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: "The first characters of the API key, as GET /v1/keys shows them.",
        }),
      ),
      client: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: "Name and version of the client library, for example assay-python/0.1.0.",
        }),
      ),
      thread: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 256,
          description: "The event's unit_id or run_id, or the trace_id or conversation_id in its metadata.",
        }),
      ),
      text: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description:
            "Text to find in the prompt, the response, or a tool's arguments or result; case is ignored.",
        }),
      ),
      sort: Type.Optional(
        OneOf(EVENT_SORTS, {
          description:
            "Default occurred_at. When the list is sorted by a field of model calls, events without that field are left out.",
        }),
      ),
      direction: Type.Optional(OneOf(["asc", "desc"], { description: "Default desc." })),
    },
    strict,
  ),
  answers: { 200: { description: "The events.", schema: StoredEventPage } },
  problems: ["experiment-not-found", "rate-limited"],
});

export const getStoredEvent = operation({
  operationId: "getStoredEvent",
  method: "GET",
  path: "/v1/experiments/{id}/events/{event_id}",
  plane: "dashboard",
  summary: "Reads one raw event with its texts, and the user's outcomes.",
  auth: member,
  params: Type.Object({ id: Id, event_id: Type.String({ minLength: 1, maxLength: 128 }) }),
  answers: { 200: { description: "The event.", schema: StoredEventDetail } },
  problems: ["experiment-not-found", "event-not-found"],
});
