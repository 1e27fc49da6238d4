package org.restheart.core.transfer;

import static org.restheart.http.parameter.DataParameter.AFTER;
import static org.restheart.http.parameter.DataParameter.PAGE;
import static org.restheart.http.parameter.DataParameter.PAGE_SIZE;
import static org.restheart.http.parameter.DataParameter.SORT;

import java.io.BufferedInputStream;
import java.io.Console;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import org.restheart.http.Digests;
import org.restheart.http.Query;
import org.restheart.http.parameter.DataParameter;
import org.restheart.rest.parameter.AfterParameter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The commands of clients: `import` and `export`, which copy documents between files and a collection of a gateway,
/// and `apply`, which makes a gateway as the files of a folder say. Confined to one thread.
public final class Transfer {
    /// The exit code if documents were refused; all others were copied.
    public static final int REFUSED = 1;

    /// The exit code of an incomplete transfer, which the same command resumes.
    public static final int FAILED = 2;

    private static final List<String> COMMANDS = List.of("import", "export", "apply");

    private final Map<String, String> environment;
    private final PrintStream out;
    private final PrintStream err;

    public Transfer(Map<String, String> environment, PrintStream out, PrintStream err) {
        this.environment = environment;
        this.out = out;
        this.err = err;
    }

    public static boolean isFor(String... args) {
        return args.length > 0 && COMMANDS.contains(args[0]);
    }

    public int run(String... args) {
        Callable<Integer> command = switch (args[0]) {
            case "import" -> new ImportCommand(environment, err);
            case "export" -> new ExportCommand(environment, err);
            default -> new ApplyCommand(environment, out, err);
        };
        var line = new CommandLine(command)
                .setOut(new PrintWriter(out, true, out.charset()))
                .setErr(new PrintWriter(err, true, err.charset()))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, _, _) -> failed(failure));
        return line.execute(List.of(args).subList(1, args.length).toArray(String[]::new));
    }

    private int failed(Exception failure) {
        switch (failure) {
            case Failure e -> err.println("ERROR " + e.getMessage());
            case NoSuchFileException e -> err.println("ERROR there is no file " + e.getMessage());
            case IOException e -> err.println("ERROR " + e);
            default -> err.println("ERROR unexpected: " + failure);
        }
        return FAILED;
    }

    /// A command cannot continue; the message is shown to the user.
    static final class Failure extends RuntimeException {
        Failure(String message) {
            super(message);
        }
    }

    /// The gateway, the format and the output of a command. Confined to one thread.
    @Command(mixinStandardHelpOptions = true, sortOptions = false)
    abstract static class TransferCommand implements Callable<Integer> {
        @Mixin
        GatewayClient gateway;

        @Parameters(
                index = "0",
                paramLabel = "URL",
                converter = GatewayClient.Address.class,
                description = "The collection.")
        void url(URI url) {
            gateway.url(url);
        }

        @Option(names = "--format", description = "${COMPLETION-CANDIDATES}; else by the name of the file.")
        private @Nullable FileFormat format;

        final PrintStream err;

        TransferCommand(Map<String, String> environment, PrintStream err) {
            this.err = err;
            this.gateway = new GatewayClient(environment, err);
        }

        final FileFormat format(Path file) {
            return format == null ? FileFormat.of(file.toString()) : format;
        }
    }

    /// Prints the progress of a transfer: on a terminal by rewriting one line, otherwise as a new line at
    /// intervals. Confined to one thread.
    static final class Progress {
        private static final int BAR = 24;

        private final PrintStream err;
        private final boolean terminal;
        private final Duration interval;
        private final Instant began = Instant.now();
        private final long before;
        private Instant shown = Instant.MIN;

        /// @param before documents of earlier runs, which are not included in the rate
        Progress(PrintStream err, long before) {
            this.err = err;
            this.terminal = Optional.ofNullable(System.console())
                    .filter(Console::isTerminal)
                    .isPresent();
            this.interval = terminal ? Duration.ofMillis(200) : Duration.ofSeconds(10);
            this.before = before;
        }

        /// @param share the completed share, from 0 to 1; negative if it is unknown
        void show(long documents, double share) {
            var now = Instant.now();
            if (now.isAfter(shown.plus(interval))) {
                shown = now;
                err.print((terminal ? "\r" : "") + text(documents, share) + (terminal ? "  " : "\n"));
                err.flush();
            }
        }

        /// @param rest text after the numbers
        void end(long documents, String rest) {
            err.println((terminal ? "\r" : "") + text(documents, 1) + rest);
        }

        private String text(long documents, double share) {
            double seconds =
                    Math.max(0.001, Duration.between(began, Instant.now()).toMillis() / 1000.0);
            var rate = "%,d documents, %,.0f/s".formatted(documents, (documents - before) / seconds);
            if (share < 0) {
                return rate;
            }
            int full = (int) Math.round(Math.min(1, share) * BAR);
            return "[%s%s] %3.0f %% %s"
                    .formatted("#".repeat(full), ".".repeat(BAR - full), Math.min(1, share) * 100, rate);
        }
    }

    /// Writes all documents of a query to a file. An interrupted export resumes after the last complete
    /// document.
    @Command(
            name = "export",
            description = {
                "Writes the documents of a collection, or of a query (?filter=…&keys=…), into FILE. When it breaks off,",
                "the same command goes on with FILE.….part, unless the query has an order of its own or FILE is CSV."
            })
    static final class ExportCommand extends Transfer.TransferCommand {
        private static final int BUFFER = 64 << 10;
        private static final int MAX_PARAMETERS = 100;

        @Parameters(index = "1", paramLabel = "FILE", description = "NDJSON (also for .json), BSON or CSV.")
        private @Nullable Path file;

        ExportCommand(Map<String, String> environment, PrintStream err) {
            super(environment, err);
        }

        @Override
        public Integer call() throws IOException {
            var target = Objects.requireNonNull(file);
            var chosen = format(target);
            if (chosen == FileFormat.TSV || chosen == FileFormat.ARCHIVE) {
                throw new Transfer.Failure("an export is NDJSON, BSON or CSV");
            }
            var written = chosen == FileFormat.JSON ? FileFormat.NDJSON : chosen;
            boolean resumable = written != FileFormat.CSV && !hasOrder();
            var partial = PartialFile.of(target, gateway.url() + " " + written, written);
            if (!resumable) {
                partial.clear();
            }
            var progress = new Transfer.Progress(err, partial.documents());
            if (partial.documents() > 0) {
                err.println("going on after document " + partial.documents());
            }
            double total = total();
            for (int attempt = 1; ; attempt++) {
                long before = partial.documents();
                try {
                    copy(partial, resumable, written, progress, total);
                    break;
                } catch (IOException e) {
                    partial.recover();
                    attempt = partial.documents() > before ? 1 : attempt;
                    if (!resumable || attempt >= gateway.attempts()) {
                        throw new Transfer.Failure("the export broke off: " + gateway.reason(e));
                    }
                    gateway.pause(attempt, gateway.reason(e));
                }
            }
            partial.finish();
            progress.end(partial.documents(), "");
            return 0;
        }

        private boolean hasOrder() {
            return !Collections.disjoint(DataParameter.in(url()), Set.of(SORT, PAGE, PAGE_SIZE, AFTER));
        }

        private Query url() {
            return Query.parse(Objects.requireNonNullElse(gateway.url().getRawQuery(), ""), MAX_PARAMETERS);
        }

        /// @throws IOException if the transfer is interrupted
        private void copy(
                PartialFile partial, boolean resumable, FileFormat written, Transfer.Progress progress, double total)
                throws IOException {
            var request = gateway.request(page(partial, resumable, written))
                    .header("Accept", written.mediaType())
                    .build();
            var response = gateway.send(request, BodyHandlers.ofInputStream());
            try (var content = response.body()) {
                requireContent(response, content, written);
                var buffer = new byte[BUFFER];
                for (int read = content.read(buffer); read >= 0; read = content.read(buffer)) {
                    partial.append(buffer, read);
                    progress.show(partial.documents(), total > 0 ? partial.documents() / total : -1);
                }
            }
        }

        private void requireContent(HttpResponse<?> response, InputStream content, FileFormat written)
                throws IOException {
            if (GatewayClient.isTransient(response.statusCode())) {
                throw new IOException("status " + response.statusCode());
            }
            if (response.statusCode() != 200) {
                throw GatewayClient.refused(
                        response.statusCode(), new String(content.readNBytes(BUFFER), StandardCharsets.UTF_8));
            }
            var type = response.headers().firstValue("Content-Type").orElse("");
            if (!type.startsWith(written.mediaType())) {
                throw new Transfer.Failure(
                        gateway.url() + " is no collection: it has no documents as " + written.mediaType());
            }
        }

        private URI page(PartialFile partial, boolean resumable, FileFormat written) {
            var mode = written == FileFormat.NDJSON && !url().has("jsonMode") ? "jsonMode=extended" : "nocache";
            if (!resumable) {
                return gateway.with(mode);
            }
            var after = partial.lastId()
                    .map(id -> AfterParameter.encode(new BsonDocument("_id", id))
                            .orElseThrow(
                                    () -> new Transfer.Failure("the id of the last document is too long to go on")))
                    .map(key -> "&after=" + key)
                    .orElse("");
            return gateway.with(mode + "&sort=_id" + after);
        }

        /// The number of documents; negative if it is unknown.
        private double total() {
            var url = gateway.url().toString();
            int mark = url.indexOf('?');
            var path = mark < 0 ? url : url.substring(0, mark);
            var size = URI.create(path.replaceAll("/$", "") + "/_size" + (mark < 0 ? "" : url.substring(mark)));
            try {
                var response = gateway.send(gateway.request(size).build(), BodyHandlers.ofString());
                return response.statusCode() == 200
                        ? JsonParser.parse(response.body())
                                .asDocument()
                                .getNumber("_size")
                                .doubleValue()
                        : -1;
            } catch (Transfer.Failure e) { // there is no gateway
                throw e;
            } catch (IOException | RuntimeException _) { // needed only to show the progress
                return -1;
            }
        }
    }

    /// The file of an incomplete export. Its name has a hash of the query and the format, so that results of
    /// different queries are not mixed. Confined to one thread.
    static final class PartialFile {
        private final Path target;
        private final Path part;
        private final FileFormat format;
        private final DocumentCounter counter;
        private Optional<BsonValue> lastId = Optional.empty();
        private @Nullable OutputStream out;

        private PartialFile(Path target, Path part, FileFormat format) {
            this.target = target;
            this.part = part;
            this.format = format;
            this.counter = new DocumentCounter(format);
        }

        /// The file of an earlier run, truncated after its last complete document, or an empty one.
        ///
        /// @param source identifies the query and the format
        /// @throws Transfer.Failure if the folder of the target is not there
        static PartialFile of(Path target, String source, FileFormat format) throws IOException {
            var folder = target.toAbsolutePath().getParent();
            if (folder == null || !Files.isDirectory(folder)) {
                throw new Transfer.Failure("there is no folder " + folder);
            }
            var name = target.getFileName() + "." + digest(source) + ".part";
            var partial = new PartialFile(target, target.resolveSibling(name), format);
            partial.recover();
            return partial;
        }

        private static String digest(String source) {
            return HexFormat.of().formatHex(Digests.sha256().digest(source.getBytes(StandardCharsets.UTF_8)), 0, 4);
        }

        long documents() {
            return counter.documents();
        }

        /// The `_id` of the last complete document at the last [#recover()]; empty if it has none.
        Optional<BsonValue> lastId() {
            return lastId;
        }

        /// @throws Transfer.Failure if the file cannot be written; another attempt would not help
        void append(byte[] bytes, int length) {
            try {
                if (out == null) {
                    out = new FileOutputStream(part.toFile(), true);
                }
                out.write(bytes, 0, length);
            } catch (IOException e) {
                throw new Transfer.Failure("cannot write: " + e.getMessage());
            }
            counter.add(bytes, length);
        }

        private void close() throws IOException {
            if (out != null) {
                out.close();
                out = null;
            }
        }

        void clear() throws IOException {
            close();
            Files.deleteIfExists(part);
            counter.reset();
            lastId = Optional.empty();
        }

        /// Truncates the file after the last complete document, and reads that document's id.
        void recover() throws IOException {
            close();
            counter.reset();
            lastId = Optional.empty();
            if (!Files.exists(part)) {
                return;
            }
            if (format == FileFormat.CSV) {
                clear();
                return;
            }
            try (var in = new DataInputStream(new BufferedInputStream(Files.newInputStream(part)))) {
                var buffer = new byte[64 << 10];
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    counter.add(buffer, read);
                }
            }
            try (var file = FileChannel.open(part, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                file.truncate(counter.end());
                if (counter.documents() > 0) {
                    lastId = Optional.of(id(file));
                }
            }
            counter.truncated();
        }

        private BsonValue id(FileChannel file) throws IOException {
            var last = ByteBuffer.allocate((int) (counter.end() - counter.lastBegin()));
            if (file.read(last, counter.lastBegin()) < last.capacity()) {
                throw new EOFException();
            }
            var document = format == FileFormat.BSON
                    ? new RawBsonDocument(last.array())
                    : JsonParser.parse(last.array()).asDocument();
            return Optional.ofNullable(document.get("_id"))
                    .orElseThrow(() ->
                            new Transfer.Failure("documents without _id: there is no way to go on; remove " + part));
        }

        void finish() throws IOException {
            close();
            if (Files.exists(part)) {
                Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
            } else {
                Files.write(target, new byte[0]);
            }
        }

        /// Counts the documents in a stream of bytes: lines, rows of CSV after the header, or BSON
        /// documents by their length prefixes. Confined to one thread.
        private static final class DocumentCounter {
            private final FileFormat format;
            private long position;
            private long documents;
            private long begin;
            private long lastBegin;
            private long length;
            private boolean quoted;

            DocumentCounter(FileFormat format) {
                this.format = format;
            }

            void add(byte[] bytes, int count) {
                for (int i = 0; i < count; i++) {
                    position++;
                    if (ends(bytes[i])) {
                        lastBegin = begin;
                        begin = position;
                        length = 0;
                        documents++;
                    }
                }
            }

            private boolean ends(byte next) {
                return switch (format) {
                    case BSON -> endsBson(next);
                    case CSV -> endsRow(next);
                    case NDJSON, JSON, TSV, ARCHIVE -> next == '\n';
                };
            }

            private boolean endsRow(byte next) {
                quoted ^= next == '"'; // one within a cell is doubled
                return next == '\n' && !quoted;
            }

            private boolean endsBson(byte next) {
                long at = position - begin; // from 1
                if (at <= Integer.BYTES) {
                    length |= (next & 0xffL) << (8 * (at - 1));
                }
                return at > Integer.BYTES && at >= length;
            }

            long documents() {
                return format == FileFormat.CSV ? Math.max(0, documents - 1) : documents;
            }

            /// The offset after the last complete document, in bytes.
            long end() {
                return begin;
            }

            /// The offset of the last complete document, in bytes.
            long lastBegin() {
                return lastBegin;
            }

            /// Called when the bytes after the last complete document have been removed.
            void truncated() {
                position = begin;
                length = 0;
            }

            void reset() {
                position = 0;
                documents = 0;
                begin = 0;
                lastBegin = 0;
                length = 0;
                quoted = false;
            }
        }
    }
}
