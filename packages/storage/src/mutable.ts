/** The same fields, but assignable: for counts that are still being added up. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
