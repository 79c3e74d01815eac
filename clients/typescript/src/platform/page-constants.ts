// This file has no imports, so that bundles get the values instead of the names.

export const loadsOnUse = false;

export const ownOptions = undefined;
