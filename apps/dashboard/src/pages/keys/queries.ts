import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";

/** Whether a webhook secret exists, and since when. */
export const webhookSecretQuery = () =>
  queryOptions({
    queryKey: ["webhook-secret"],
    queryFn: () => unwrap(api.GET("/v1/webhook-secrets")),
  });
