export { type AssignableExperiment, type AssignableVariant, assignVariant, findVariant } from "./assign.ts";
export { type BucketingInputs, bucketOf, type HashInputs, userDigest } from "./bucket.ts";
export { murmur3, murmur3OfBytes } from "./murmur3.ts";
export { encodeUtf8, UTF_8 } from "./utf8.ts";
export { type CompiledBuckets, compileBuckets, variantAt, type WireBuckets } from "./variant-at.ts";
