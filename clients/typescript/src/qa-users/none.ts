import type { ConfigExperiment, ConfigVariant } from "../config-snapshot.ts";

type QaVariantOf = (experiment: ConfigExperiment, user: string) => ConfigVariant | null;

/** Browsers have no room for QA users: a page's address forces variants there (`urlOverrides`). */
export const qaVariantOf = null as QaVariantOf | null;
