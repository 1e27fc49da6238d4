package org.restheart.core.transfer;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.restheart.http.ProblemException;
import org.restheart.mongo.format.DocumentReader.Entry;
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
final class ImportCommand extends TransferCommand {
    @Parameters(index = "1", paramLabel = "FILE", description = "NDJSON, JSON, BSON or CSV.")
    private @Nullable Path file;

    @Option(names = "--upsert", description = "Replace documents whose ids are there.")
    private boolean upsert;

    ImportCommand(Map<String, String> environment, PrintStream err) {
        super(environment, err);
    }

    @Override
    public Integer call() throws IOException {
        var source = Objects.requireNonNull(file);
        var chosen = format(source);
        var checkpoint = Checkpoint.of(source, gateway.url() + (upsert ? " upsert" : ""));
        var progress = new Progress(err, checkpoint.done());
        var errors = source.resolveSibling(source.getFileName() + ".errors");
        if (checkpoint.done() == 0) {
            Files.deleteIfExists(errors);
        } else {
            err.println("going on after document " + checkpoint.done());
        }
        double size = Math.max(1, Files.size(source));
        try (var in = new Counted(Files.newInputStream(source))) {
            var reader = chosen.reader(in);
            var sender = new BatchSender(gateway, upsert);
            var batch = new ImportBatch();
            long entries = 0;
            for (var entry = next(reader::next); entry != null; entry = next(reader::next)) {
                if (++entries <= checkpoint.done()) {
                    continue;
                }
                add(batch, entry, entries, checkpoint);
                if (batch.isFull()) {
                    finish(batch, sender, checkpoint, entries, errors);
                    progress.show(entries, in.count / size);
                }
            }
            finish(batch, sender, checkpoint, entries, errors);
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
            throw new TransferFailure(e.problem().message());
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

    private static void finish(ImportBatch batch, BatchSender sender, Checkpoint checkpoint, long entries, Path errors)
            throws IOException {
        long stored = sender.send(batch);
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

    /// Counts the bytes that were read.
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
}
