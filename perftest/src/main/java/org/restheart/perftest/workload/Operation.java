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
            case Page(var _, var skip, var _) -> "page at " + skip;
            case RandomPage(var _, var from, var to, var _) -> "random page in " + from + " to " + to;
            case GrowingPage(var _, var from, var step, var _) -> "pages from " + from + " by " + step;
            case Matching _ -> "matching page";
            case Upload _ -> "upload";
            case Download(var _, var files) -> files == 1 ? "download" : "download of " + files;
        };
    }

    Namespace namespace();

    /// A ping; touches no documents.
    record Ping(Namespace namespace) implements Operation {}

    /// Inserts documents with ids made by the inserting side, `batch` at a time, write concern majority.
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

    /// Reads pages at `from`, `from + step`, `from + 2 step` …, one position per request over all clients.
    record GrowingPage(Namespace namespace, long from, long step, int limit) implements Operation {
        public GrowingPage {
            checkPosition(from, limit);
            checkPosition(step, limit);
        }
    }

    /// Reads the newest `limit` documents in which a field matches a regular expression.
    record Matching(Namespace namespace, String field, String regex, int limit) implements Operation {}

    /// Stores a file of so many bytes in a bucket, each under another id.
    ///
    /// @param namespace its collection is the bucket with `.files`
    record Upload(Namespace namespace, int bytes) implements Operation {
        public Upload {
            Window.atLeast("bytes", bytes, 1);
        }
    }

    /// Reads the content of a file of a bucket: one of `f0`, `f1` …, uniformly random.
    ///
    /// @param namespace its collection is the bucket with `.files`
    /// @param files how many there are
    record Download(Namespace namespace, int files) implements Operation {
        public Download {
            Window.atLeast("files", files, 1);
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
