/** The Java client of Assay; its one package for callers is {@link dev.assay}. */
module dev.assay.client {
    requires java.net.http;

    exports dev.assay;
}
