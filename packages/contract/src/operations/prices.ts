import { operation } from "../operation.ts";
import { PriceKey, PriceQuery, PriceRequest, PriceSchema, PriceTable } from "../schemas/prices.ts";

export const listPrices = operation({
  operationId: "listPrices",
  method: "GET",
  path: "/v1/prices",
  plane: "dashboard",
  summary: "Lists the model prices that apply to the org: its own and the built-in ones.",
  auth: { kind: "session", role: "member" },
  query: PriceQuery,
  answers: { 200: { description: "The prices.", schema: PriceTable } },
  problems: [],
});

export const putPrice = operation({
  operationId: "putPrice",
  method: "PUT",
  path: "/v1/prices",
  plane: "dashboard",
  summary: "Sets the org's own price of a model from a day on; the next run of each experiment uses it.",
  auth: { kind: "session", role: "admin" },
  body: PriceRequest,
  answers: { 200: { description: "The stored price.", schema: PriceSchema } },
  problems: [],
});

export const removePrice = operation({
  operationId: "removePrice",
  method: "DELETE",
  path: "/v1/prices",
  plane: "dashboard",
  summary: "Removes the org's own price of a model from a day on. The built-in price, if any, applies again.",
  auth: { kind: "session", role: "admin" },
  query: PriceKey,
  answers: { 204: { description: "It is removed." } },
  problems: ["price-not-found"],
});
