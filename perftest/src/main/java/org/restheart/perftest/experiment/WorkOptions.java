package org.restheart.perftest.experiment;

import java.util.List;
import java.util.function.Supplier;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Option;

/// Which of the everyday operations are measured, and on what documents.
final class WorkOptions {
    @Option(names = "--operations", split = ",", description = "Some of ${COMPLETION-CANDIDATES}; default: all.")
    List<Kind> kinds = List.of(Kind.values());

    @Option(names = "--documents", description = "To read from; default ${DEFAULT-VALUE}.")
    int documents = 100_000;

    @Option(names = "--text-bytes", description = "Of each document's text; default ${DEFAULT-VALUE}.")
    int textBytes = 150;

    enum Kind {
        insert,
        read,
        page
    }

    /// Asked anew for each measurement: inserts get a collection of their own.
    Supplier<Operation> operation(Kind kind, Dataset data) {
        return switch (kind) {
            case insert -> () -> new Operation.Insert(data.fresh(), 1, textBytes);
            case read -> () -> new Operation.FindById(data.loaded(documents, textBytes), documents);
            case page -> () -> new Operation.Page(data.loaded(documents, textBytes), 25, 5);
        };
    }

    /// For reports.
    String description() {
        return documents + " to read from, with a text of " + textBytes + " bytes";
    }
}
