package org.restheart.perftest.workload;

import com.fasterxml.jackson.annotation.JsonTypeInfo;

/// One kind of work, repeated throughout a measurement. Both subjects understand all of them.
@JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
public sealed interface Operation {

    /// The name used in reports.
    String label();

    Namespace namespace();

    /// A ping; touches no documents.
    record Ping(Namespace namespace) implements Operation {
        @Override
        public String label() {
            return "ping";
        }
    }

    /// Inserts documents with ids made by the inserting side, `batch` at a time, write concern majority.
    ///
    /// @param batch documents per request, at least 1
    /// @param payloadBytes length of the text field, which sets the document's size
    record Insert(Namespace namespace, int batch, int payloadBytes) implements Operation {
        public Insert {
            Check.atLeast("batch", batch, 1);
            Check.atLeast("payload bytes", payloadBytes, 0);
        }

        @Override
        public String label() {
            return batch == 1 ? "insert" : "insert of " + batch;
        }
    }

    /// Reads one document by `_id`, uniformly random over the first `documents` ids of [DocumentIds].
    record FindById(Namespace namespace, int documents) implements Operation {
        public FindById {
            Check.atLeast("documents", documents, 1);
        }

        @Override
        public String label() {
            return "read by id";
        }
    }

    /// Reads the page that begins after `skip` documents, newest first, the same page each time.
    record Page(Namespace namespace, long skip, int limit) implements Operation {
        public Page {
            PageOperation.check(skip, limit);
        }

        @Override
        public String label() {
            return "page at " + skip;
        }
    }

    /// Reads pages at uniformly random multiples of `limit` from `from` (inclusive) to `to` (exclusive).
    record RandomPage(Namespace namespace, long from, long to, int limit) implements Operation {
        public RandomPage {
            PageOperation.check(from, limit);
            PageOperation.check(to, limit);
            Check.atLeast("end of the range", to - from, limit);
        }

        @Override
        public String label() {
            return "random page in " + from + " to " + to;
        }
    }

    /// Reads pages at `from`, `from + step`, `from + 2 step` …, one position per request over all clients.
    record GrowingPage(Namespace namespace, long from, long step, int limit) implements Operation {
        public GrowingPage {
            PageOperation.check(from, limit);
            PageOperation.check(step, limit);
        }

        @Override
        public String label() {
            return "pages from " + from + " by " + step;
        }
    }

    /// Reads the newest `limit` documents in which a field matches a regular expression.
    record Matching(Namespace namespace, String field, String regex, int limit) implements Operation {
        @Override
        public String label() {
            return "matching page";
        }
    }

    /// Stores a file of so many bytes in a bucket, each under another id.
    ///
    /// @param namespace its collection is the bucket with `.files`
    record Upload(Namespace namespace, int bytes) implements Operation {
        public Upload {
            Check.atLeast("bytes", bytes, 1);
        }

        @Override
        public String label() {
            return "upload";
        }
    }

    /// Reads the content of a file of a bucket: one of `f0`, `f1` …, uniformly random.
    ///
    /// @param namespace its collection is the bucket with `.files`
    /// @param files how many there are
    record Download(Namespace namespace, int files) implements Operation {
        public Download {
            Check.atLeast("files", files, 1);
        }

        @Override
        public String label() {
            return files == 1 ? "download" : "download of " + files;
        }
    }

    /// The gateway pages by number, so positions are multiples of the page size.
    final class PageOperation {
        private PageOperation() {}

        static void check(long skip, int limit) {
            Check.atLeast("limit", limit, 1);
            Check.atLeast("skip", skip, 0);
            if (skip % limit != 0) {
                throw new IllegalArgumentException("skip " + skip + " is no multiple of the page size " + limit);
            }
        }
    }
}
