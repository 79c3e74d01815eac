/** No name: what an interface has that nothing was added to. */
declare const UNNAMED: unique symbol;

/** What there is to name, by name. `npx assay types` writes a file that fills it in; without one, any text is a name. */
export interface Experiments {
  readonly [UNNAMED]?: never;
}

/** As `Experiments`: what events of business metrics may name. */
export interface BusinessMetrics {
  readonly [UNNAMED]?: never;
}

/** The name of an experiment. An id needs a cast where names are known. */
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

/** What the variables of an experiment's variants may be. */
export type KnownVariables<E> = E extends keyof Experiments
  ? Experiments[E] extends { variables: infer Variables extends object }
    ? Partial<Variables>
    : object
  : object;

/** Has no room for a default that is no variable of the experiment. */
export type OnlyKnown<E, Variables> = E extends keyof Experiments
  ? { readonly [Name in Exclude<keyof Variables, keyof KnownVariables<E>>]: never }
  : unknown;
