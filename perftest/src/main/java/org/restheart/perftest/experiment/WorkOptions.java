package org.restheart.perftest.experiment;

import java.util.List;
import java.util.function.Supplier;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Which of the everyday operations are measured, and on what documents.
final class WorkOptions {
    @Option(
            names = "--operations",
            split = ",",
            description = "Some of ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
    List<Kind> kinds = List.of(Kind.insert, Kind.read, Kind.page);

    @Mixin
    Dataset.DocumentOptions documents = new Dataset.DocumentOptions(100_000, 150);

    enum Kind {
        insert,
        read,
        update,
        transfer,
        page,
        ping
    }

    /// Asked anew for each measurement: inserts get a collection of their own, and updates one that they may change.
    Supplier<Operation> operation(Kind kind, Dataset data) {
        return switch (kind) {
            case insert -> () -> new Operation.Insert(data.fresh(), 1, documents.textBytes);
            case read -> () -> new Operation.FindById(data.loaded(documents), documents.documents);
            case update -> () -> new Operation.Update(data.loaded("updated", documents), documents.documents);
            case transfer -> () -> new Operation.Transfer(data.loaded("moved", documents), documents.documents);
            case ping -> () -> new Operation.Ping(new Namespace(Dataset.DATABASE, "none"));
            case page -> () -> new Operation.Page(data.loaded(documents), 25, 5);
        };
    }
}
