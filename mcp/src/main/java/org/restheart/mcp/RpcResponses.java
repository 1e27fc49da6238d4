package org.restheart.mcp;

import static org.restheart.bson.BsonValues.object;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Messages of JSON-RPC 2.0 as responses.
final class RpcResponses {
    static final String TYPE = "application/json";

    private static final JsonEncoder JSON = JsonEncoder.of(JsonMode.RELAXED);

    private RpcResponses() {}

    static Response.Ready result(Request request, Optional<BsonValue> id, BsonDocument result) {
        return json(request, 200, message(id).append("result", result));
    }

    /// @param id of the request; empty if it is unknown
    static Response.Ready error(Request request, int status, Optional<BsonValue> id, RpcError error) {
        var body = object("code", error.code(), "message", error.text());
        error.data().ifPresent(data -> body.append("data", data));
        return json(request, status, message(id).append("error", body));
    }

    private static BsonDocument message(Optional<BsonValue> id) {
        return object("jsonrpc", "2.0", "id", id.orElse(BsonNull.VALUE));
    }

    private static boolean isPrintableAscii(ByteBuffer text) {
        for (int i = text.position(); i < text.limit(); i++) {
            if (text.get(i) < ' ' || text.get(i) == 0x7f) {
                return false;
            }
        }
        return true;
    }

    /// Also in names, which are not enclosed in a fence.
    private static Content.Bytes escaped(Utf8Buffer json, Lease lease) {
        return Content.Bytes.of(Fence.escapedInvisible(json.toString()).getBytes(StandardCharsets.UTF_8), lease);
    }

    private static Response.Ready json(Request request, int status, BsonDocument message) {
        var out = new Utf8Buffer(1_024);
        JSON.encode(message, out);
        var json = out.toByteBuffer();
        return Response.status(status)
                .with(
                        TYPE,
                        isPrintableAscii(json)
                                ? new Content.Bytes(json, request.lease())
                                : escaped(out, request.lease()));
    }
}
