import { JUDGED_CALL, JUDGED_METRIC, type ValidRequest, type World } from "./role-objects.ts";

/** Valid requests of the routes of judges. */
export const judgingRequests: Readonly<Record<string, (world: World) => ValidRequest>> = {
  "POST /v1/judges/try": () => ({ path: "/v1/judges/try", body: { judge: { rubric: "Is it polite?" } } }),
  "POST /v1/experiments/{id}/judgements/retry": ({ experiment: { id } }) => ({
    path: `/v1/experiments/${id}/judgements/retry`,
    body: { metric: JUDGED_METRIC },
  }),
  "POST /v1/experiments/{id}/labels": ({ experiment: { id } }) => ({
    path: `/v1/experiments/${id}/labels`,
    body: { metric: JUDGED_METRIC, event_id: JUDGED_CALL, score: 1 },
  }),
  "GET /v1/experiments/{id}/labels/queue": ({ experiment: { id } }) => ({
    path: `/v1/experiments/${id}/labels/queue?metric=${JUDGED_METRIC}`,
  }),
  "GET /v1/experiments/{id}/labels/agreement": ({ experiment: { id } }) => ({
    path: `/v1/experiments/${id}/labels/agreement?metric=${JUDGED_METRIC}`,
  }),
};
