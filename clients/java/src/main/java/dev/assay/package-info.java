/**
 * Assigns users to variants of experiments in the process, from a polled config, and reports events
 * and model calls in the background. Start with {@link dev.assay.AssayClient#builder()}.
 */
package dev.assay;
