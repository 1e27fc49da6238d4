package org.restheart.core.chaos;

import com.mongodb.ReadConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Sorts;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.testkit.wire.WireResponse;

/// Hundreds of clients that write as fast as they are answered, in every way that stores many documents, and what they
/// know at the end. A document holds its writer, its number and a check of both. Thread-safe.
final class VolumeWorkload {
    private static final int COUNTERS = 4;
    private static final int MIN_FILE = 1_000;
    private static final int MAX_FILE = 400_000;
    private static final String JSON = "application/json";

    /// Violations that are described; all are counted.
    private static final int DESCRIBED = 20;

    private final int port;
    private final Ledger ledger;
    private final long seed;
    private final List<Writer> writers = new ArrayList<>();
    private final Map<Kind, Requests> requests = new EnumMap<>(Kind.class);
    private final ConcurrentLinkedQueue<Future<?>> running = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> refused = new ConcurrentLinkedQueue<>();
    private final LongAdder[] counted = adders();
    private final LongAdder[] perhapsCounted = adders();
    private volatile boolean over;

    /// How a writer stores documents, how many with a request, and for how long it pauses after each: the paces leave
    /// about half of the throughput to single documents.
    private enum Kind {
        SINGLE("single documents", 1, 0),
        NAMED("single documents with an `_id`, repeated", 1, 0),
        KEYED("single documents with a key, repeated", 1, 0),
        ARRAY("arrays of 10", 10, 200),
        KEYED_ARRAY("arrays of 10 with a key, repeated", 10, 200),
        LINES("100 lines (NDJSON) with `_id`, repeated", 100, 1_000),
        BULK("bulk `PATCH` of 10 documents", 10, 200),
        COUNTER("increments of 4 counters", 1, 0),
        FILE("files, repeated", 1, 2_000);

        private final String label;
        private final int documents;
        private final int pauseMillis;

        Kind(String label, int documents, int pauseMillis) {
            this.label = label;
            this.documents = documents;
            this.pauseMillis = pauseMillis;
        }

        private boolean isInserted() {
            return this != BULK && this != COUNTER && this != FILE;
        }
    }

    /// Of 16 writers.
    private static final List<Kind> SHARES = List.of(
            Kind.SINGLE,
            Kind.NAMED,
            Kind.ARRAY,
            Kind.SINGLE,
            Kind.LINES,
            Kind.COUNTER,
            Kind.SINGLE,
            Kind.NAMED,
            Kind.KEYED,
            Kind.SINGLE,
            Kind.BULK,
            Kind.ARRAY,
            Kind.SINGLE,
            Kind.NAMED,
            Kind.KEYED_ARRAY,
            Kind.SINGLE);

    private static final int FILE_WRITERS = 4;

    private static final class Requests {
        private final LongAdder acknowledged = new LongAdder();
        private final LongAdder others = new LongAdder();
    }

    VolumeWorkload(int port, Ledger ledger, long seed) {
        this.port = port;
        this.ledger = ledger;
        this.seed = seed;
        for (var kind : Kind.values()) {
            requests.put(kind, new Requests());
        }
    }

    private static LongAdder[] adders() {
        return IntStream.range(0, COUNTERS).mapToObj(_ -> new LongAdder()).toArray(LongAdder[]::new);
    }

    void start(int count, ExecutorService threads, MongoDatabase database) {
        database.createCollection("volume");
        database.createCollection("vol.files");
        database.getCollection("bulk").createIndex(Indexes.ascending("w"));
        for (int i = 0; i < COUNTERS; i++) {
            database.getCollection("counters", BsonDocument.class)
                    .insertOne(BsonDocument.parse("{_id: 'v" + i + "', n: 0}"));
        }
        for (int i = 0; i < count + FILE_WRITERS; i++) {
            var kind = i < count ? SHARES.get(i % SHARES.size()) : Kind.FILE;
            var writer = new Writer(i, kind);
            writers.add(writer);
            if (kind == Kind.BULK) {
                int w = i;
                database.getCollection("bulk", BsonDocument.class)
                        .insertMany(IntStream.range(0, kind.documents)
                                .mapToObj(d -> BsonDocument.parse("{w: " + w + ", d: " + d + ", n: 0}"))
                                .toList());
            }
        }
        writers.forEach(writer -> running.add(threads.submit(writer::run)));
    }

    void stop() throws Exception {
        over = true;
        for (var each : running) {
            each.get();
        }
    }

    private static int check(int writer, int number) {
        int mixed = (writer * 31 + number) * 0x9E3779B9;
        return mixed >>> 8;
    }

    /// Content that MongoDB can compress.
    private static byte[] content(int writer, int number) {
        var content = new byte[MIN_FILE + Math.floorMod(check(writer, number), MAX_FILE - MIN_FILE)];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (writer + number + (i >>> 6));
        }
        return content;
    }

    /// One client with a connection of its own.
    private final class Writer {
        private final int id;
        private final Kind kind;
        private final WriterLog log = new WriterLog();
        private final KeepAliveConnection connection = new KeepAliveConnection(port);

        private Writer(int id, Kind kind) {
            this.id = id;
            this.kind = kind;
        }

        private @Nullable Object run() throws Exception {
            try (connection) {
                while (!over) {
                    write();
                    if (kind.pauseMillis > 0) {
                        Thread.sleep(kind.pauseMillis);
                    }
                }
            }
            return null;
        }

        private void write() throws InterruptedException {
            int first = log.attempt(kind.documents);
            switch (kind) {
                case SINGLE, NAMED, KEYED, ARRAY, KEYED_ARRAY, LINES -> insert(first);
                case BULK -> bulk(first);
                case COUNTER -> count(first);
                case FILE -> store(first);
            }
        }

        private void insert(int first) throws InterruptedException {
            var documents = IntStream.range(first, first + kind.documents).mapToObj(this::document);
            var body = (switch (kind) {
                        case LINES -> documents.collect(Collectors.joining("\n"));
                        case ARRAY, KEYED_ARRAY -> documents.collect(Collectors.joining(",", "[", "]"));
                        default -> documents.collect(Collectors.joining());
                    })
                    .getBytes(StandardCharsets.UTF_8);
            var type = kind == Kind.LINES ? "application/x-ndjson" : JSON;
            boolean keyed = kind == Kind.KEYED || kind == Kind.KEYED_ARRAY;
            var key = keyed ? "Idempotency-Key: \"" + new UUID(seed, ((long) id << 40) + first) + "\"\r\n" : "";
            boolean repeated = keyed || kind == Kind.NAMED || kind == Kind.LINES;
            boolean again = false;
            while (true) {
                var answer = send("POST", "/volume", type, key, body);
                if (accepted(answer, first, again) || !repeated || over) {
                    return;
                }
                again = true;
            }
        }

        private String document(int number) {
            var id = kind == Kind.NAMED || kind == Kind.LINES
                    ? "\"_id\":" + (this.id * 1_000_000_000L + number) + ","
                    : "";
            return "{" + id + "\"w\":" + this.id + ",\"n\":" + number + ",\"c\":" + check(this.id, number) + "}";
        }

        /// @param again whether an earlier attempt may have stored documents
        /// @return whether the outcome of all documents is known
        private boolean accepted(@Nullable WireResponse answer, int first, boolean again) {
            int status = answer == null ? 0 : answer.status();
            if (status == 201 || status == 200 || (status == 409 && again && kind == Kind.NAMED)) {
                acknowledge(first, kind.documents);
                return true;
            }
            if (answer == null || status != 207) {
                failed(answer, "POST");
                return false;
            }
            var report = BsonDocument.parse(answer.text());
            var failed = report.getArray("errors").stream()
                    .map(each -> each.asDocument())
                    .filter(error -> !(again && error.getNumber("httpStatus").intValue() == 409))
                    .toList();
            boolean complete = !report.containsKey("complete")
                    || report.getBoolean("complete").getValue();
            if (failed.isEmpty() && complete) {
                acknowledge(first, kind.documents);
                return true;
            }
            if (kind == Kind.ARRAY) { // what is not among the errors is acknowledged
                var indexes = failed.stream()
                        .map(error -> error.getNumber("index").intValue())
                        .toList();
                for (int i = 0; i < kind.documents; i++) {
                    if (!indexes.contains(i)) {
                        log.acknowledged(first + i, ledger.acknowledged());
                    }
                }
            }
            requests.get(kind).others.increment();
            return false;
        }

        private void bulk(int first) throws InterruptedException {
            var filter = URLEncoder.encode("{\"w\":" + id + "}", StandardCharsets.UTF_8);
            var answer = send(
                    "PATCH",
                    "/bulk/*?filter=" + filter,
                    JSON,
                    "",
                    "{\"$inc\":{\"n\":1}}".getBytes(StandardCharsets.UTF_8));
            if (answer == null || answer.status() != 200) {
                failed(answer, "PATCH of many");
                return;
            }
            var report = BsonDocument.parse(answer.text());
            if (report.getNumber("modified").intValue() == kind.documents) {
                acknowledge(first, kind.documents);
            } else {
                refused.add("a bulk PATCH of " + kind.documents + " documents: " + report.toJson());
            }
        }

        private void count(int number) throws InterruptedException {
            int counter = id / SHARES.size() % COUNTERS;
            var answer = send(
                    "PATCH",
                    "/counters/v" + counter,
                    JSON,
                    "",
                    "{\"$inc\":{\"n\":1}}".getBytes(StandardCharsets.UTF_8));
            if (answer != null && answer.status() == 200) {
                acknowledge(number, 1);
                counted[counter].increment();
            } else {
                failed(answer, "PATCH");
                perhapsCounted[counter].increment();
            }
        }

        private void store(int number) throws InterruptedException {
            var content = content(id, number);
            do {
                var answer = send("PUT", "/vol.files/" + id + "-" + number, "application/octet-stream", "", content);
                if (answer != null && (answer.status() == 201 || answer.status() == 200)) {
                    acknowledge(number, 1);
                    return;
                }
                failed(answer, "PUT of a file");
            } while (!over);
        }

        /// Waits a little if there is no success.
        private @Nullable WireResponse send(String method, String target, String type, String fields, byte[] body)
                throws InterruptedException {
            @Nullable WireResponse answer = null;
            try {
                answer = connection.send(method, target, type, fields, body);
            } catch (IOException _) {
                // the outcome is unknown
            }
            ledger.answered(answer == null ? 0 : answer.status());
            if (answer == null || answer.status() > 299) {
                Thread.sleep(100 + ThreadLocalRandom.current().nextInt(200));
            }
            return answer;
        }

        private void acknowledge(int first, int documents) {
            var period = ledger.acknowledged(documents);
            for (int i = first; i < first + documents; i++) {
                log.acknowledged(i, period);
            }
            requests.get(kind).acknowledged.increment();
        }

        /// Nothing that these clients send deserves a refusal, but that a first attempt of the same content is not
        /// over.
        private void failed(@Nullable WireResponse answer, String what) {
            requests.get(kind).others.increment();
            if (answer != null && answer.status() != 503 && answer.status() != 409) {
                refused.add(what + ": status " + answer.status() + " " + answer.text());
            }
        }
    }

    /// Compares what was acknowledged with what MongoDB has, which is read as a stream.
    List<String> violations(MongoDatabase database) {
        var found = new Violations();
        refused.forEach(found::add);
        var inserted = majority(database, "volume");
        for (var document : inserted.find()) {
            int writer = document.getInt32("w").getValue();
            int number = document.getInt32("n").getValue();
            var log = writers.get(writer).log;
            if (document.getNumber("c").intValue() != check(writer, number)) {
                found.add("document " + document.toJson() + " has other content");
            } else if (!log.found(number)) {
                log.period(number, ledger.current()).doubled();
                found.add("document " + number + " of writer " + writer + " is there twice, or was never sent");
            }
        }
        changed(database, found);
        files(database, found);
        for (var writer : writers) {
            if (writer.kind.isInserted() || writer.kind == Kind.FILE) {
                writer.log.lost().stream().forEach(number -> {
                    writer.log.period(number, ledger.current()).lost();
                    found.add("number " + number + " of writer " + writer.id + " (" + writer.kind + ") is lost");
                });
            }
        }
        return found.described();
    }

    private static MongoCollection<BsonDocument> majority(MongoDatabase database, String collection) {
        return database.getCollection(collection, BsonDocument.class).withReadConcern(ReadConcern.MAJORITY);
    }

    private void changed(MongoDatabase database, Violations found) {
        for (var document : majority(database, "bulk").find()) {
            var log = writers.get(document.getInt32("w").getValue()).log;
            long n = document.getNumber("n").longValue();
            long acknowledged = log.acknowledged() / Kind.BULK.documents;
            long unknown = log.unknown() / Kind.BULK.documents;
            if (n < acknowledged || n > acknowledged + unknown) {
                found.add("bulk " + document.toJson() + ", acknowledged " + acknowledged + ", unknown " + unknown);
            }
        }
        for (int i = 0; i < COUNTERS; i++) {
            long n = majority(database, "counters")
                    .find(Filters.eq("v" + i))
                    .first()
                    .getNumber("n")
                    .longValue();
            if (n < counted[i].sum() || n > counted[i].sum() + perhapsCounted[i].sum()) {
                found.add("counter " + i + " is " + n + ", acknowledged " + counted[i] + ", unknown "
                        + perhapsCounted[i]);
            }
        }
    }

    private void files(MongoDatabase database, Violations found) {
        for (var file : majority(database, "vol.files").find()) {
            var name = file.getString("_id").getValue();
            int dash = name.indexOf('-');
            int writer = Integer.parseInt(name.substring(0, dash));
            int number = Integer.parseInt(name.substring(dash + 1));
            if (!writers.get(writer).log.found(number)) {
                found.add("file " + name + " was never sent");
            }
            var content = content(writer, number);
            int at = 0;
            var chunks = majority(database, "vol.chunks")
                    .find(Filters.eq("files_id", name))
                    .sort(Sorts.ascending("n"));
            for (var chunk : chunks) {
                var data = chunk.getBinary("data").getData();
                boolean same = at + data.length <= content.length
                        && Arrays.equals(data, 0, data.length, content, at, at + data.length);
                at = same ? at + data.length : Integer.MIN_VALUE;
            }
            if (at != content.length || file.getNumber("length").longValue() != at) {
                found.add("file " + name + " has other content");
            }
        }
    }

    /// A table in Markdown, of what was sent and acknowledged; after [#violations] also of what is stored.
    String table() {
        var rows = new StringBuilder(
                "| writers | | requests acknowledged | others | documents acknowledged | without acknowledgement, stored of them |\n"
                        + "|--:|---|--:|--:|--:|--:|\n");
        for (var kind : Kind.values()) {
            var same = writers.stream().filter(writer -> writer.kind == kind).toList();
            rows.append("| %d | %s | %d | %d | %d | %s |%n"
                    .formatted(
                            same.size(),
                            kind.label,
                            requests.get(kind).acknowledged.sum(),
                            requests.get(kind).others.sum(),
                            same.stream()
                                    .mapToLong(writer -> writer.log.acknowledged())
                                    .sum(),
                            same.stream()
                                            .mapToLong(writer -> writer.log.unknown())
                                            .sum()
                                    + (kind.isInserted()
                                            ? ", "
                                                    + same.stream()
                                                            .mapToLong(writer -> writer.log.unknownStored())
                                                            .sum()
                                            : "")));
        }
        return rows.toString();
    }

    private static final class Violations {
        private final List<String> first = new ArrayList<>();
        private long all;

        private void add(String violation) {
            all++;
            if (first.size() < DESCRIBED) {
                first.add(violation);
            }
        }

        private List<String> described() {
            if (all > first.size()) {
                first.add(all + " violations in all");
            }
            return first;
        }
    }
}
