import { operation } from "../operation.ts";
import { PriceKey, PriceQuery, PriceRequest, PriceSchema, PriceTable } from "../schemas/prices.ts";

export const listPrices = operation({
  operationId: "listPrices",
  method: "GET",
  path: "/v1/prices",
  plane: "dashboard",
  summary: "Lists the model prices that apply to the org: its own prices and the built-in ones.",
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
  summary:
    "Sets the org's own price for a model from a given day on. Experiments use the prices in force on the day they were created.",
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
  summary:
    "Removes the org's own price for a model and the day from which it applies. The built-in price for that day, if any, applies again.",
  auth: { kind: "session", role: "admin" },
  query: PriceKey,
  answers: { 204: { description: "The price is removed." } },
  problems: ["price-not-found"],
});
