/**
 * Assigns users to variants of experiments in the process, on a config that is polled, and reports
 * events and model calls in the background. Begin with {@link dev.assay.AssayClient#builder()}.
 */
package dev.assay;
