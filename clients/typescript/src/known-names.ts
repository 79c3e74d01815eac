/** Stands for "no names": the keys of an interface to which nothing was added. */
declare const UNNAMED: unique symbol;

/** The known names. `npx assay types` writes a file that fills in this interface. Without it, any text is a valid name. */
export interface Experiments {
  readonly [UNNAMED]?: never;
}

/** Like `Experiments`, for the known names of business metrics. */
export interface BusinessMetrics {
  readonly [UNNAMED]?: never;
}

/** The name of an experiment. An id needs a cast when names are known. */
export type ExperimentName = [keyof Experiments & string] extends [never]
  ? string
  : keyof Experiments & string;

/** The `business_metric` of an event. */
export type BusinessMetricName = [keyof BusinessMetrics & string] extends [never]
  ? string
  : keyof BusinessMetrics & string;

/** The key of a variant of an experiment. */
export type VariantKey<E> = E extends keyof Experiments
  ? Experiments[E] extends { variant: infer Key extends string }
    ? Key
    : string
  : string;

/** Types of the variables of an experiment's variants. */
export type KnownVariables<E> = E extends keyof Experiments
  ? Experiments[E] extends { variables: infer Variables extends object }
    ? Partial<Variables>
    : object
  : object;

/** Rejects defaults that are not variables of the experiment. */
export type OnlyKnown<E, Variables> = E extends keyof Experiments
  ? { readonly [Name in Exclude<keyof Variables, keyof KnownVariables<E>>]: never }
  : unknown;
