/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Any JSON object. */
export type JsonObject = { readonly [key: string]: Json };
