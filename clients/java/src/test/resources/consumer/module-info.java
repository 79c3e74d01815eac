/** An application of its own that uses the client. */
module consumer {
    requires dev.assay.client;
}
