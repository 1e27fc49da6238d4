package org.restheart.mongo.idempotency;

import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.restheart.http.Content;
import org.restheart.http.Fields;
import org.restheart.http.Response;

/// Stored responses: status, headers and the bytes of the content.
final class StoredAnswer {
    private static final String STATUS = "status";
    private static final String HEADERS = "headers";
    private static final String CONTENT = "content";

    private StoredAnswer() {}

    static BsonDocument of(Response.Ready answer) {
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
