import createClient from "openapi-fetch";
import { joinChanges } from "./join-changes.ts";
import { connectionLost, toProblem } from "./problem.ts";
import type { paths } from "./schema.d.ts";

/** openapi-fetch accepts only mutable arrays: request bodies have this type. */
export type WithArrays<T> = T extends readonly (infer Item)[]
  ? WithArrays<Item>[]
  : T extends object
    ? { [Key in keyof T]: WithArrays<T[Key]> }
    : T;

/** Calls the service with the session's cookie; every path, parameter and body is typed from the OpenAPI document. */
export const api = createClient<WithArrays<paths>>({
  credentials: "same-origin",
  fetch: joinChanges((request) => fetch(request)),
});

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * Waits for an answer and returns its body.
 * @throws {Problem} for every answer that is not a success, and when there is no answer.
 */
export async function unwrap<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer.catch(() => {
    throw connectionLost();
  });
  if (!response.ok) throw toProblem(response, error);
  return data as T;
}
