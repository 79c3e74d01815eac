/** A separate application that uses the client. */
module consumer {
    requires dev.assay.client;
}
