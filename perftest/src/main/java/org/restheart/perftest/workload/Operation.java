package org.restheart.perftest.workload;

import com.fasterxml.jackson.annotation.JsonTypeInfo;

/// One kind of work, repeated throughout a measurement. Both subjects understand all of them.
@JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
public sealed interface Operation {

    /// The name used in reports.
    default String label() {
        return switch (this) {
            case Ping _ -> "ping";
            case Insert(var _, var batch, var _) -> batch == 1 ? "insert" : "insert of " + batch;
            case FindById _ -> "read by id";
            case Update _ -> "update by id";
            case Transfer _ -> "transfer";
            case Page(var _, var skip, var _) -> "page at " + skip;
            case RandomPage(var _, var from, var to, var _) -> "random page in " + from + " to " + to;
            case Matching _ -> "matching page";
            case Ycsb ycsb -> "workload " + ycsb.workload();
        };
    }

    Namespace namespace();

    /// A ping; touches no documents.
    record Ping(Namespace namespace) implements Operation {}

    /// Inserts documents with write concern majority.
    ///
    /// @param batch documents per request, at least 1
    /// @param payloadBytes length of the text field, which sets the document's size
    record Insert(Namespace namespace, int batch, int payloadBytes) implements Operation {
        public Insert {
            Window.atLeast("batch", batch, 1);
            Window.atLeast("payload bytes", payloadBytes, 0);
        }
    }

    /// Reads one document by `_id`, uniformly random over the first `documents` ids of [Documents].
    record FindById(Namespace namespace, int documents) implements Operation {
        public FindById {
            Window.atLeast("documents", documents, 1);
        }
    }

    /// Sets one field of a document that is chosen as by [FindById], write concern majority.
    record Update(Namespace namespace, int documents) implements Operation {
        public Update {
            Window.atLeast("documents", documents, 1);
        }
    }

    /// Moves one of the number of a document to that of another, in one transaction, write concern majority; both are
    /// chosen as by [FindById].
    record Transfer(Namespace namespace, int documents) implements Operation {}

    /// Reads the page that begins after `skip` documents, newest first, the same page each time.
    record Page(Namespace namespace, long skip, int limit) implements Operation {
        public Page {
            checkPosition(skip, limit);
        }
    }

    /// Reads pages at uniformly random multiples of `limit` from `from` (inclusive) to `to` (exclusive).
    record RandomPage(Namespace namespace, long from, long to, int limit) implements Operation {
        public RandomPage {
            checkPosition(from, limit);
            checkPosition(to, limit);
            Window.atLeast("end of the range", to - from, limit);
        }
    }

    /// Reads the newest `limit` documents in which a field matches a regular expression.
    record Matching(Namespace namespace, String field, String regex, int limit) implements Operation {}

    /// The operations of a core workload of the Yahoo! Cloud Serving Benchmark in its proportions, on ten fields of 100
    /// bytes; keys are chosen by its Zipfian distribution. A read followed by an update counts as two operations.
    record Ycsb(Namespace namespace, YcsbWorkload workload, int documents) implements Operation {

        /// At most so many documents in a scan, uniformly random from 1.
        public static final int LONGEST_SCAN = 100;

        public static final int FIELD_BYTES = 100;

        /// Percent of the operations; of F the update is the second half of half of its transactions.
        public enum YcsbWorkload {
            A(50, 50, 0, 0),
            B(95, 5, 0, 0),
            C(100, 0, 0, 0),
            E(0, 0, 5, 95),
            F(67, 33, 0, 0);

            private final int reads;
            private final int updates;
            private final int inserts;
            private final int scans;

            YcsbWorkload(int reads, int updates, int inserts, int scans) {
                this.reads = reads;
                this.updates = updates;
                this.inserts = inserts;
                this.scans = scans;
            }

            public int reads() {
                return reads;
            }

            public int updates() {
                return updates;
            }

            public int inserts() {
                return inserts;
            }

            public int scans() {
                return scans;
            }
        }
    }

    /// The gateway pages by number, so positions are multiples of the page size.
    private static void checkPosition(long skip, int limit) {
        Window.atLeast("limit", limit, 1);
        Window.atLeast("skip", skip, 0);
        if (skip % limit != 0) {
            throw new IllegalArgumentException("skip " + skip + " is no multiple of the page size " + limit);
        }
    }
}
