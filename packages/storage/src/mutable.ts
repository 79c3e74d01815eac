/** The same fields, which may be assigned: for counts on their way to an answer. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
