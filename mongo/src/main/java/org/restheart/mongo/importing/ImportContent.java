package org.restheart.mongo.importing;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;
import static org.restheart.http.ProblemCode.CONTENT_TYPE_UNSUPPORTED;
import static org.restheart.http.ProblemCode.NOT_FOUND;
import static org.restheart.http.ProblemCode.OVERLOADED;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.mongo.content.DataContent;
import org.restheart.mongo.format.Csv;
import org.restheart.mongo.format.DocumentFormat.BsonBytes;
import org.restheart.mongo.format.DocumentFormat.JsonLines;
import org.restheart.mongo.format.DocumentReader;
import org.restheart.mongo.format.JsonDocumentReader;

/// Stores the content of an import in parts while it is received. Confined to one request.
final class ImportContent {
    /// The most malformed documents of one import; each is stored with its reason.
    private static final int MAX_REFUSED = 10_000;

    private final DocumentReader reader;
    private final ImportStore store;
    private final ImportConfig config;
    private final String payer;
    private final String job;
    private long refused;

    ImportContent(DocumentReader reader, ImportStore store, ImportConfig config, String payer, String job) {
        this.reader = reader;
        this.store = store;
        this.config = config;
        this.payer = payer;
        this.job = job;
    }

    /// @throws ProblemException 415
    static DocumentReader reader(Request request) {
        var type = DataContent.mediaType(request);
        try {
            var in = request.body().stream();
            return type.equals("application/json")
                    ? new JsonDocumentReader(in)
                    : DataContent.reader(type, in)
                            .orElseThrow(() -> new ProblemException(
                                    CONTENT_TYPE_UNSUPPORTED,
                                    "Content-Type must be " + JsonLines.MEDIA_TYPE + ", " + BsonBytes.MEDIA_TYPE + ", "
                                            + Csv.MEDIA_TYPE + ", " + Csv.TABS + " or application/json"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// @return the number of documents
    /// @throws ProblemException 400 for too many malformed documents; 413 or 503 for content that exceeds a
    ///     limit of stored bytes
    long store() throws IOException {
        long documents = 0;
        var part = ImportPart.empty(0);
        for (var entry = reader.next(); entry != null; entry = reader.next()) {
            documents++;
            add(entry, part);
            if (part.isFull()) {
                store(part);
                part = ImportPart.empty(part.number() + 1);
            }
        }
        if (!part.isEmpty()) {
            store(part);
        }
        return documents;
    }

    private void add(DocumentReader.Entry entry, ImportPart part) {
        switch (entry) {
            case DocumentReader.Entry.Malformed(var line, var problem) -> {
                part.refuse(line, problem);
                if (++refused > MAX_REFUSED) {
                    throw new ProblemException(
                            CONTENT_INVALID,
                            "more than " + MAX_REFUSED
                                    + " documents are malformed: is the Content-Type right?" + " The last: "
                                    + problem.message());
                }
            }
            case DocumentReader.Entry.Parsed(var line, var value) -> {
                if (value.isDocument()) {
                    part.add(line, value.asDocument());
                } else {
                    part.refuse(line, 400, "not a document");
                }
            }
        }
    }

    /// Counts the bytes after the part is stored, so that concurrent imports cannot exceed the limits together.
    private void store(ImportPart part) {
        if (!store.add(job, part)) {
            throw new ProblemException(NOT_FOUND, "the import was deleted");
        }
        var stored = store.storedBytes(payer);
        if (stored.byPayer() > config.maxBytesPerAccount()) {
            throw new ProblemException(
                    CONTENT_TOO_LARGE,
                    "the imports of this account take more than " + config.maxBytesPerAccount()
                            + " bytes: wait until others are done, delete them, or send less");
        }
        if (stored.byAll() > config.maxBytes()) {
            throw Problem.of(OVERLOADED, "the stored content of all imports exceeds its bound at the moment")
                    .with("Retry-After", "60")
                    .raise();
        }
    }
}
