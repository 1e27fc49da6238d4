package org.restheart.core.transfer;

import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import org.restheart.bson.RawDocuments;
import org.restheart.core.transfer.Transfer.Progress;
import org.restheart.http.ProblemException;
import org.restheart.rest.format.DocumentFormat.BsonBytes;
import org.restheart.rest.format.DocumentReader.Entry;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Sends the documents of a file in batches. A [Checkpoint] records each stored batch; one whose response was
/// lost is sent again.
@Command(
        name = "import",
        description = {
            "Stores the documents of FILE in a collection. When it breaks off, the same command goes on:",
            "FILE.import says from where. What is refused is listed in FILE.errors, a line for each."
        })
final class ImportCommand extends Transfer.TransferCommand {
    @Parameters(
            index = "1",
            paramLabel = "FILE",
            description = "NDJSON, JSON, BSON, CSV, TSV or an archive of mongodump; compressed with gzip or not.")
    private @Nullable Path file;

    @Option(names = "--from", paramLabel = "DB.COLLECTION", description = "Of an archive that has several collections.")
    private String from = "";

    @Option(names = "--upsert", description = "Replace documents whose ids are there.")
    private boolean upsert;

    ImportCommand(Map<String, String> environment, PrintStream err) {
        super(environment, err);
    }

    @Override
    public Integer call() throws IOException {
        var source = Objects.requireNonNull(file);
        var chosen = format(source);
        var checkpoint = Checkpoint.of(source, gateway.url() + (upsert ? " upsert" : "") + from);
        var progress = new Progress(err, checkpoint.done());
        var errors = source.resolveSibling(source.getFileName() + ".errors");
        if (checkpoint.done() == 0) {
            Files.deleteIfExists(errors);
        } else {
            err.println("going on after document " + checkpoint.done());
        }
        double size = Math.max(1, Files.size(source));
        try (var in = new Counted(Files.newInputStream(source))) {
            var reader = chosen.reader(in, from);
            var batch = new ImportBatch(gateway, upsert);
            long entries = 0;
            for (var entry = next(reader::next); entry != null; entry = next(reader::next)) {
                if (++entries <= checkpoint.done()) {
                    continue;
                }
                add(batch, entry, entries, checkpoint);
                if (batch.isFull()) {
                    finish(batch, checkpoint, entries, errors);
                    progress.show(entries, in.count / size);
                }
            }
            finish(batch, checkpoint, entries, errors);
            progress.end(
                    entries,
                    ": %,d stored, %,d refused%s"
                            .formatted(
                                    checkpoint.stored(),
                                    checkpoint.refused(),
                                    checkpoint.refused() > 0 ? ", see " + errors : ""));
        }
        checkpoint.delete();
        return checkpoint.refused() > 0 ? Transfer.REFUSED : 0;
    }

    private interface Reading {
        @Nullable
        Entry next() throws IOException;
    }

    private static @Nullable Entry next(Reading reading) throws IOException {
        try {
            return reading.next();
        } catch (ProblemException e) {
            throw new Transfer.Failure(e.problem().message());
        }
    }

    private static void add(ImportBatch batch, Entry entry, long count, Checkpoint checkpoint) {
        switch (entry) {
            case Entry.Malformed(var number, var problem) -> batch.refuse(number, problem.status(), problem.message());
            case Entry.Parsed(var number, var value)
            when !value.isDocument() -> batch.refuse(number, 400, "not a document");
            case Entry.Parsed(var number, var value) -> batch.add(number, value.asDocument(), checkpoint.id(count));
        }
    }

    private static void finish(ImportBatch batch, Checkpoint checkpoint, long entries, Path errors) throws IOException {
        long stored = batch.send();
        if (!batch.errors().isEmpty()) {
            Files.writeString(
                    errors,
                    batch.errors().stream().map(error -> error.toJson() + "\n").collect(Collectors.joining()),
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }
        checkpoint.advance(entries, stored, batch.errors().size());
        batch.clear();
    }

    private static final class Counted extends FilterInputStream {
        private long count;

        Counted(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int next = super.read();
            count += next < 0 ? 0 : 1;
            return next;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = super.read(bytes, offset, length);
            count += Math.max(0, read);
            return read;
        }
    }

    /// The progress of an import, in a file beside its source, by which the same command resumes the import.
    /// Confined to one thread.
    private static final class Checkpoint {
        private final Path file;
        private final Properties kept = new Properties();

        private Checkpoint(Path file) {
            this.file = file;
        }

        /// The checkpoint of an earlier run with the same source and target, or a new one.
        static Checkpoint of(Path source, String target) throws IOException {
            var checkpoint = new Checkpoint(source.resolveSibling(source.getFileName() + ".import"));
            try (var in = Files.newInputStream(checkpoint.file)) {
                checkpoint.kept.load(in);
            } catch (NoSuchFileException _) { // the first run
            }
            var identity = target + " " + Files.size(source) + " " + Files.getLastModifiedTime(source);
            if (!identity.equals(checkpoint.kept.getProperty("of"))) {
                checkpoint.kept.clear();
                checkpoint.kept.setProperty("of", identity);
                checkpoint.kept.setProperty("seed", new ObjectId().toHexString());
                checkpoint.save();
            }
            return checkpoint;
        }

        /// The id for a document without one: the same in every run, so that no document is stored twice, and
        /// ascending.
        ObjectId id(long number) {
            var seed = ByteBuffer.wrap(new ObjectId(kept.getProperty("seed")).toByteArray());
            var id = ByteBuffer.allocate(seed.capacity());
            id.putInt(seed.getInt()).putLong(seed.getLong() + number);
            return new ObjectId(id.array());
        }

        /// The number of documents of the source that are stored or refused.
        long done() {
            return number("done");
        }

        long stored() {
            return number("stored");
        }

        long refused() {
            return number("refused");
        }

        private long number(String name) {
            return Long.parseLong(kept.getProperty(name, "0"));
        }

        void advance(long done, long stored, long refused) throws IOException {
            kept.setProperty("done", Long.toString(done));
            kept.setProperty("stored", Long.toString(stored() + stored));
            kept.setProperty("refused", Long.toString(refused() + refused));
            save();
        }

        private void save() throws IOException {
            var next = file.resolveSibling(file.getFileName() + "~");
            try (var out = Files.newOutputStream(next)) {
                kept.store(out, null);
            }
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }

        void delete() throws IOException {
            Files.deleteIfExists(file);
        }
    }

    /// Documents that are sent together, and again if there was no response: a duplicate id then counts as
    /// stored by an earlier attempt. Confined to one thread.
    private static final class ImportBatch {
        private static final int MAX_DOCUMENTS = 1_000;
        private static final int MAX_BYTES = 1 << 20;
        private static final String THERE = "a document with this _id is there already";
        private static final int CONFLICT = 409;

        private final GatewayClient gateway;
        private final boolean upsert;
        private final List<Long> numbers = new ArrayList<>();
        private final Set<Integer> generated = new HashSet<>();
        private final ByteArrayOutputStream content = new ByteArrayOutputStream();
        private final List<BsonDocument> errors = new ArrayList<>();

        ImportBatch(GatewayClient gateway, boolean upsert) {
            this.gateway = gateway;
            this.upsert = upsert;
        }

        void add(long number, BsonDocument document, ObjectId id) {
            var sent = document;
            if (!document.containsKey("_id")) {
                sent = new BsonDocument("_id", new BsonObjectId(id));
                sent.putAll(document);
                generated.add(numbers.size());
            }
            var bytes = RawDocuments.encode(sent).getByteBuffer().asNIO();
            content.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
            numbers.add(number);
        }

        void refuse(long number, int status, String message) {
            errors.add(new BsonDocument("line", new BsonInt64(number))
                    .append("httpStatus", new BsonInt32(status))
                    .append("message", new BsonString(message)));
        }

        boolean isFull() {
            return numbers.size() + errors.size() >= MAX_DOCUMENTS || content.size() >= MAX_BYTES;
        }

        /// Sends the documents; those that the gateway refuses are added to the errors.
        ///
        /// @return the number of stored documents
        /// @throws Transfer.Failure if the gateway refuses the whole batch, or no attempt succeeds
        long send() {
            if (numbers.isEmpty()) {
                return 0;
            }
            var request = gateway.request(upsert ? gateway.with("wm=upsert") : gateway.url())
                    .header("Content-Type", BsonBytes.MEDIA_TYPE)
                    .POST(BodyPublishers.ofByteArray(content.toByteArray()))
                    .build();
            var last = "";
            for (int attempt = 1; attempt <= gateway.attempts(); attempt++) {
                try {
                    var response = gateway.send(request, BodyHandlers.ofString());
                    if (response.statusCode() == 200 || response.statusCode() == 207) {
                        var report = JsonParser.parse(response.body()).asDocument();
                        if (report.getBoolean("complete", BsonBoolean.TRUE).getValue()) {
                            return numbers.size() - refused(report, attempt > 1);
                        }
                        last = "MongoDB failed";
                    } else if (!GatewayClient.isTransient(response.statusCode())) {
                        throw failure(response);
                    } else {
                        last = "status " + response.statusCode();
                    }
                } catch (IOException e) {
                    last = gateway.reason(e);
                }
                if (attempt < gateway.attempts()) {
                    gateway.pause(attempt, last);
                }
            }
            throw new Transfer.Failure("no answer after " + gateway.attempts() + " attempts: " + last);
        }

        private Transfer.Failure failure(HttpResponse<String> response) {
            var why = GatewayClient.refused(response.statusCode(), response.body());
            return switch (response.statusCode()) {
                case 404 -> new Transfer.Failure(why.getMessage() + "; make it first: curl -X PUT " + gateway.url());
                case 405 ->
                    new Transfer.Failure(
                            why.getMessage() + "; is this the URL of a collection: " + gateway.url() + "?");
                default -> why;
            };
        }

        private long refused(BsonDocument report, boolean repeated) {
            long refused = 0;
            for (var each : report.getArray("errors", new BsonArray())) {
                var error = each.asDocument();
                int index = error.getNumber("line").intValue() - 1;
                int status = error.getNumber("httpStatus").intValue();
                if (status != CONFLICT || !(repeated || generated.contains(index))) {
                    refused++;
                    refuse(
                            numbers.get(index),
                            status,
                            error.getString("message", new BsonString(status == CONFLICT ? THERE : ""))
                                    .getValue());
                }
            }
            return refused;
        }

        List<BsonDocument> errors() {
            return errors;
        }

        void clear() {
            numbers.clear();
            generated.clear();
            content.reset();
            errors.clear();
        }
    }
}
