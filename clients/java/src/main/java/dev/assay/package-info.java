/**
 * Assigns users to variants of experiments locally, from a polled config. Reports events and model calls in the
 * background. Start with {@link dev.assay.AssayClient#builder()}.
 */
package dev.assay;
