package org.restheart.scripts;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.Content;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;

/// The endpoint of a script, whichever version of it there is.
record ScriptService(String name, Supplier<Optional<Script>> script) implements Service {
    /// Bytes of content that a script may see.
    static final int MOST = 1 << 20;

    /// Bytes for each of them: as text and as objects, in the engine, too.
    static final int COPIES = 16;

    @Override
    public Response handle(Request request) {
        var now = script.get()
                .orElseThrow(() -> Problem.of(ProblemCode.NOT_FOUND, "this script is not deployed")
                        .raise());
        if (request.body().isLongerThan(MOST)) {
            throw tooLarge();
        }
        var bytes = request.body().bytes();
        request.lease().hold((long) COPIES * bytes.length);
        return answer(request, now.call(asked(request, name), Optional.of(new String(bytes, StandardCharsets.UTF_8))));
    }

    static RuntimeException tooLarge() {
        return Problem.of(ProblemCode.CONTENT_TOO_LARGE, "a script takes at most " + MOST + " bytes")
                .raise();
    }

    /// What a script is told of a request.
    static BsonDocument asked(Request request, String service) {
        var query = new BsonArray();
        request.query()
                .names()
                .forEach(
                        name -> query.add(pair(name, request.query().first(name).orElse(""))));
        var headers = new BsonArray();
        request.headers().forEach((name, value) -> headers.add(pair(name, value)));
        return new BsonDocument("method", new BsonString(request.method().name()))
                .append("path", new BsonString(request.path().decoded()))
                .append("service", new BsonString(service))
                .append("query", query)
                .append("headers", headers);
    }

    private static BsonArray pair(String name, String value) {
        return new BsonArray(List.of(new BsonString(name), new BsonString(value)));
    }

    private static Response answer(Request request, BsonDocument said) {
        int status = status(said);
        var error = said.getString("error", new BsonString("")).getValue();
        var response = said.containsKey("error")
                ? Response.json(status, new BsonDocument("msg", new BsonString(error)).toJson(), request.lease())
                : Response.status(status)
                        .with(Content.Bytes.of(
                                said.getString("content").getValue().getBytes(StandardCharsets.UTF_8),
                                request.lease()));
        for (var header : said.getArray("headers")) {
            response = response.with(text(header, 0), text(header, 1));
        }
        return response;
    }

    /// @throws IllegalStateException for characters that fields cannot have
    private static String text(BsonValue header, int index) {
        var text = header.asArray().get(index).asString().getValue();
        if (text.chars().anyMatch(next -> next < ' ')) {
            throw new IllegalStateException("a script has set a header field with control characters");
        }
        return text;
    }

    static int status(BsonDocument said) {
        var status = said.get("status", new BsonInt32(0));
        if (!status.isNumber()
                || status.asNumber().intValue() < 200
                || status.asNumber().intValue() > 599) {
            throw new IllegalStateException("a script has set the status " + status);
        }
        return status.asNumber().intValue();
    }
}
