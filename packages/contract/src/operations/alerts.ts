import { Type } from "typebox";
import { operation } from "../operation.ts";
import {
  AlertChannelChange,
  AlertChannelList,
  AlertChannelRequest,
  AlertChannelSchema,
  AlertDeliveryPage,
  AlertDeliverySchema,
  AlertSecret,
  NewAlertChannel,
} from "../schemas/alerts.ts";
import { Id, PageQuery } from "../schemas/shared.ts";

const member = { kind: "session", role: "member" } as const;
const admin = { kind: "session", role: "admin" } as const;
const recentAdmin = { kind: "session", role: "admin", isSignInRecent: true } as const;
const adminInPerson = { kind: "session", role: "admin", isPersonal: true } as const;
const ofChannel = Type.Object({ id: Id });

export const listAlertChannels = operation({
  operationId: "listAlertChannels",
  method: "GET",
  path: "/v1/alert-channels",
  plane: "dashboard",
  summary: "Lists the org's alert channels by name. Secrets are left out, and addresses are shortened.",
  auth: member,
  answers: { 200: { description: "At most 10.", schema: AlertChannelList } },
  problems: [],
});

export const createAlertChannel = operation({
  operationId: "createAlertChannel",
  method: "POST",
  path: "/v1/alert-channels",
  plane: "dashboard",
  summary:
    "Creates a channel. `webhook`, `slack` and `teams` need `url`; `email` needs `addresses`. The url must be https and public, unless the installation allows private addresses. Needs a sign-in within the last 15 minutes.",
  auth: recentAdmin,
  body: AlertChannelRequest,
  answers: { 201: { description: "The channel, and the secret of a webhook.", schema: NewAlertChannel } },
  problems: ["too-many-alert-channels", "mail-not-configured"],
});

export const changeAlertChannel = operation({
  operationId: "changeAlertChannel",
  method: "PUT",
  path: "/v1/alert-channels/{id}",
  plane: "dashboard",
  summary: "Changes the given fields of a channel. Its kind and secret stay the same.",
  auth: adminInPerson,
  params: ofChannel,
  body: AlertChannelChange,
  answers: { 200: { description: "The channel.", schema: AlertChannelSchema } },
  problems: ["alert-channel-not-found"],
});

export const removeAlertChannel = operation({
  operationId: "removeAlertChannel",
  method: "DELETE",
  path: "/v1/alert-channels/{id}",
  plane: "dashboard",
  summary: "Removes a channel and its deliveries. Deliveries that are waiting are not sent.",
  auth: adminInPerson,
  params: ofChannel,
  answers: { 204: { description: "It is removed." } },
  problems: ["alert-channel-not-found"],
});

export const rotateAlertSecret = operation({
  operationId: "rotateAlertSecret",
  method: "POST",
  path: "/v1/alert-channels/{id}/secret",
  plane: "dashboard",
  summary:
    "Creates a new secret for a webhook channel. For 24 hours, messages are signed with both the new and the previous secret. Needs a sign-in within the last 15 minutes.",
  auth: recentAdmin,
  params: ofChannel,
  answers: { 201: { description: "The secret, shown only once.", schema: AlertSecret } },
  problems: ["alert-channel-not-found", "alert-channel-unsigned"],
});

export const testAlertChannel = operation({
  operationId: "testAlertChannel",
  method: "POST",
  path: "/v1/alert-channels/{id}/test",
  plane: "dashboard",
  summary: "Sends one `test` message now, even if the channel is off, and returns its delivery.",
  auth: admin,
  params: ofChannel,
  answers: { 200: { description: "The delivery.", schema: AlertDeliverySchema } },
  problems: ["alert-channel-not-found", "rate-limited"],
});

export const listAlertDeliveries = operation({
  operationId: "listAlertDeliveries",
  method: "GET",
  path: "/v1/alert-channels/{id}/deliveries",
  plane: "dashboard",
  summary: "Lists a channel's deliveries from the last 30 days, newest first.",
  auth: member,
  params: ofChannel,
  query: PageQuery,
  answers: { 200: { description: "A page.", schema: AlertDeliveryPage } },
  problems: ["alert-channel-not-found"],
});

export const replayAlertDelivery = operation({
  operationId: "replayAlertDelivery",
  method: "POST",
  path: "/v1/alert-channels/{id}/deliveries/{delivery_id}/replay",
  plane: "dashboard",
  summary:
    "Sends a delivery again with the same `webhook-id`, whether it arrived or failed. A delivery that is still waiting does not change.",
  auth: admin,
  params: Type.Object({ id: Id, delivery_id: Id }),
  answers: { 202: { description: "The delivery, which is due now.", schema: AlertDeliverySchema } },
  problems: ["alert-delivery-not-found", "alert-channel-off", "rate-limited"],
});
