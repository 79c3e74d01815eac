import type { ConfigExperiment, ConfigVariant } from "../config-snapshot.ts";

type QaVariantOf = (experiment: ConfigExperiment, user: string) => ConfigVariant | null;

/** Browsers do not support QA users: there, a page's address forces variants (`urlOverrides`). */
export const qaVariantOf = null as QaVariantOf | null;
