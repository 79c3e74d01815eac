/** Where Langfuse's SDKs expect its public API, whose errors have their own form. */
export const isLangfusePath = (url: string): boolean => url.startsWith("/api/public/");

/** Names of errors by HTTP status. */
const NAMES: Readonly<Record<number, string>> = {
  400: "InvalidRequestError",
  401: "UnauthorizedError",
  403: "ForbiddenError",
  404: "LangfuseNotFoundError",
  405: "MethodNotAllowedError",
  413: "PayloadTooLargeError",
  429: "RateLimitError",
  503: "ServiceUnavailableError",
};

/** Converts the answer to a problem. */
export function langfuseError(status: number, message: string) {
  return { message, error: NAMES[status] ?? (status < 500 ? "InvalidRequestError" : "InternalServerError") };
}
