package org.restheart.mongo.idempotency;

import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.Content;
import org.restheart.http.Fields;
import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;

/// Stored responses: status, headers and the bytes of the content; and what the service that made the request was told.
final class StoredAnswer {
    private static final String STATUS = "status";
    private static final String HEADERS = "headers";
    private static final String CONTENT = "content";
    private static final String REPORT = "report";
    private static final String INSERTED = "inserted";
    private static final String ERRORS = "errors";

    private StoredAnswer() {}

    static BsonDocument of(Response.Ready answer, Optional<DataWrite.Report> report) {
        var document = of(answer);
        report.ifPresent(told -> document.append(
                REPORT,
                new BsonDocument(INSERTED, new BsonArray(told.inserted()))
                        .append(ERRORS, new BsonArray(told.errors()))));
        return document;
    }

    /// The report that belongs to a stored response; empty for a request of the REST API.
    static Optional<DataWrite.Report> report(BsonDocument document) {
        return document.get(REPORT) instanceof BsonDocument told
                ? Optional.of(DataWrite.Report.inserted(
                        told.getArray(INSERTED).getValues(),
                        told.getArray(ERRORS).stream()
                                .map(BsonValue::asDocument)
                                .toList()))
                : Optional.empty();
    }

    private static BsonDocument of(Response.Ready answer) {
        var headers = new BsonDocument();
        answer.headers().forEach((name, value) -> headers.append(name, new BsonString(value)));
        var document = new BsonDocument(STATUS, new BsonInt32(answer.status())).append(HEADERS, headers);
        return switch (answer.content()) {
            case Content.None() -> document;
            case Content.Bytes(var buffer) -> {
                var bytes = new byte[buffer.remaining()];
                buffer.duplicate().get(bytes);
                yield document.append(CONTENT, new BsonBinary(bytes));
            }
            case Content.Streamed _, Content.Push _, Content.Forwarded _ ->
                throw new IllegalStateException("an answer without an end");
        };
    }

    static Response.Ready restore(BsonDocument document) {
        var headers = Fields.NONE;
        for (var header : document.getDocument(HEADERS).entrySet()) {
            headers = headers.plus(header.getKey(), header.getValue().asString().getValue());
        }
        var answer = Response.status(document.getInt32(STATUS).getValue()).with(headers);
        return document.containsKey(CONTENT)
                ? answer.with(Content.Bytes.of(document.getBinary(CONTENT).getData()))
                : answer;
    }
}
