package org.restheart.core.transfer;

import static org.restheart.http.parameter.DataParameter.AFTER;
import static org.restheart.http.parameter.DataParameter.PAGE;
import static org.restheart.http.parameter.DataParameter.PAGE_SIZE;
import static org.restheart.http.parameter.DataParameter.SORT;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import org.restheart.http.Query;
import org.restheart.http.parameter.DataParameter;
import org.restheart.mongo.parameter.AfterParameter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Writes all documents of a query to a file. An interrupted export resumes after the last complete document.
@Command(
        name = "export",
        description = {
            "Writes the documents of a collection, or of a query (?filter=…&keys=…), into FILE. When it breaks off,",
            "the same command goes on with FILE.….part, unless the query has an order of its own or FILE is CSV."
        })
final class ExportCommand extends Transfer.TransferCommand {
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

    private void requireContent(HttpResponse<?> response, InputStream content, FileFormat written) throws IOException {
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
                        .orElseThrow(() -> new Transfer.Failure("the id of the last document is too long to go on")))
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
