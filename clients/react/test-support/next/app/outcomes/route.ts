import { getAssay } from "../assay";

/** Tracks an outcome on the server. */
export async function POST(request: Request): Promise<Response> {
  const user = await request.text();
  getAssay().track("business_event", { experiment_id: "greeting", user_id: user, business_metric: "bought" });
  return new Response(null, { status: 204 });
}
