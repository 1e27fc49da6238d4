package org.restheart.rest.exchange;

import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Content;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// JSON responses in the mode a request asks for.
public final class JsonResponses {
    private JsonResponses() {}

    public static Response.Ready of(DataRequest request, int status, BsonValue value) {
        return of(request, status, value, Response.JSON);
    }

    /// One value as the whole body, of a media type whose syntax is JSON's.
    public static Response.Ready of(DataRequest request, int status, BsonValue value, String mediaType) {
        var out = new Utf8Buffer(expected(value));
        JsonEncoder.of(request.parameters().format().jsonMode()).encode(value, out);
        return Response.status(status)
                .with(
                        mediaType,
                        new Content.Bytes(out.toByteBuffer(), request.http().lease()));
    }

    /// Most documents are as long in JSON as they are in BSON: their buffer does not grow.
    private static int expected(BsonValue value) {
        return value instanceof RawBsonDocument raw ? raw.getByteLength() / 4 * 5 + 64 : 512;
    }

    public static Response.Ready of(Request request, int status, Utf8Buffer json) {
        return Response.status(status).with(Response.JSON, new Content.Bytes(json.toByteBuffer(), request.lease()));
    }

    /// No body. The media type is sent nevertheless, since clients of this API expect it.
    public static Response.Ready empty(int status) {
        return Response.status(status).with("Content-Type", Response.JSON);
    }
}
