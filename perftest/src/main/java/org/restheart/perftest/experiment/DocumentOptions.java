package org.restheart.perftest.experiment;

import picocli.CommandLine.Option;

/// What is read.
final class DocumentOptions {
    @Option(names = "--documents", description = "In the collection; default ${DEFAULT-VALUE}.")
    int documents;

    @Option(names = "--text-bytes", description = "Of each document's text; default ${DEFAULT-VALUE}.")
    int textBytes;

    DocumentOptions(int documents, int textBytes) {
        this.documents = documents;
        this.textBytes = textBytes;
    }

    /// For reports.
    String description() {
        return documents + " with a text of " + textBytes + " bytes";
    }
}
