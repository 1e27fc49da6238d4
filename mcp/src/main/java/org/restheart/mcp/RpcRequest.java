package org.restheart.mcp;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.BsonValues;
import org.restheart.http.Body;
import org.restheart.http.Headers;
import org.restheart.http.NamedOperation;
import org.restheart.http.Request;
import org.restheart.http.module.PresentedCredential;

/// A request or a notification (JSON-RPC 2.0, 4). Immutable by agreement.
///
/// @param http of which it is the content
/// @param id absent for a notification
record RpcRequest(
        Request http,
        PresentedCredential credential,
        Optional<BsonValue> id,
        String method,
        BsonDocument params,
        Revision revision) {
    private static final String PREFIX = "io.modelcontextprotocol/";
    private static final String VERSION = PREFIX + "protocolVersion";
    private static final String CAPABILITIES = PREFIX + "clientCapabilities";
    private static final String VERSION_HEADER = "MCP-Protocol-Version";

    /// The parameter that the header `Mcp-Name` repeats.
    private static final Map<String, String> NAMED =
            Map.of("tools/call", "name", "prompts/get", "name", "resources/read", "uri");

    private static final String BASE64 = "=?base64?";
    private static final int MAX_METHOD = 200;

    /// Names the operation in the log and the metrics of the request.
    void observed(String name) {
        http.attribute(NamedOperation.OBSERVER).ifPresent(observer -> observer.accept(new NamedOperation(name, name)));
    }

    boolean isNotification() {
        return id.isEmpty();
    }

    /// The name of the client, as it states.
    Optional<BsonDocument> clientInfo() {
        return BsonValues.object(meta(params), PREFIX + "clientInfo");
    }

    /// Whether the client supports elicitation.
    boolean elicits() {
        return BsonValues.object(meta(params), CAPABILITIES)
                .filter(capabilities -> capabilities.containsKey("elicitation"))
                .isPresent();
    }

    /// By which the client recognizes notifications of progress.
    Optional<BsonValue> progressToken() {
        return Optional.ofNullable(meta(params).get("progressToken"))
                .filter(token -> token.isString() || token.isInt32() || token.isInt64());
    }

    /// The trace to which the request belongs (W3C Trace Context), as the client states.
    Optional<String> traceparent() {
        return BsonTexts.of(meta(params), "traceparent");
    }

    /// A parameter that must be a string.
    ///
    /// @throws RpcError if it is not
    String text(String name) {
        return BsonTexts.of(params, name).orElseThrow(() -> RpcError.invalidParams("'" + name + "' must be a string"));
    }

    /// @throws RpcError for the first error, in the protocol's order
    static RpcRequest read(Request http, PresentedCredential credential) {
        var value = PlainJson.parse(http.body());
        if (!(value instanceof BsonDocument message)) {
            throw invalid(
                    value.isArray()
                            ? "batches are not served: send one request in each POST"
                            : "a request is an object");
        }
        if (!new BsonString("2.0").equals(message.get("jsonrpc"))) {
            throw invalid("'jsonrpc' must be \"2.0\"");
        }
        if (!(message.get("method") instanceof BsonString method)
                || method.getValue().length() > MAX_METHOD) {
            throw invalid("'method' must be a string");
        }
        var id = Optional.ofNullable(message.get("id"));
        if (id.filter(given -> !given.isString() && !given.isInt32() && !given.isInt64())
                .isPresent()) {
            throw invalid("'id' must be a string or an integer");
        }
        var given = message.get("params");
        if (given != null && !given.isDocument()) {
            throw invalid("'params' must be an object");
        }
        var params = given == null ? new BsonDocument() : given.asDocument();
        return new RpcRequest(http, credential, id, method.getValue(), params, Revision.R2025_06_18).checked();
    }

    /// The id of an invalid request, if it has one that an error can repeat.
    static Optional<BsonValue> idIn(Body body) {
        try {
            return PlainJson.parse(body) instanceof BsonDocument message
                    ? Optional.ofNullable(message.get("id")).filter(id -> id.isString() || id.isInt32() || id.isInt64())
                    : Optional.empty();
        } catch (RpcError _) {
            return Optional.empty();
        }
    }

    /// With its revision.
    private RpcRequest checked() {
        var headers = http.headers();
        var named = headers.first(VERSION_HEADER).map(String::strip);
        boolean modern = meta(params).containsKey(VERSION)
                || named.filter(version ->
                                Revision.of(version).filter(Revision::isLegacy).isEmpty())
                        .isPresent();
        if (!modern) {
            return with(named.flatMap(Revision::of).orElse(Revision.R2025_06_18));
        }
        if (id.isEmpty()) {
            return with(Revision.R2026_07_28);
        }
        var asked = meta(params).get(VERSION);
        if (!(asked instanceof BsonString version)
                || BsonValues.object(meta(params), CAPABILITIES).isEmpty()) {
            throw RpcError.of(
                    400,
                    RpcError.INVALID_PARAMS,
                    "params._meta must have the string " + VERSION + " and the object " + CAPABILITIES);
        }
        requireHeader(headers, VERSION_HEADER, version.getValue());
        requireHeader(headers, "Mcp-Method", method);
        if (NAMED.containsKey(method) && params.get(NAMED.get(method)) instanceof BsonString name) {
            requireHeader(headers, "Mcp-Name", name.getValue());
        }
        var revision = Revision.of(version.getValue()).filter(known -> !known.isLegacy());
        return with(revision.orElseThrow(() -> unsupported(version)));
    }

    private RpcRequest with(Revision other) {
        return new RpcRequest(http, credential, id, method, params, other);
    }

    RpcRequest with(Request other) {
        return new RpcRequest(other, credential, id, method, params, revision);
    }

    private static RpcError unsupported(BsonString version) {
        return RpcError.of(400, RpcError.UNSUPPORTED_VERSION, "this version of the protocol is not served")
                .with(new BsonDocument("supported", BsonTexts.array(Revision.versions())).append("requested", version));
    }

    private static void requireHeader(Headers headers, String name, String value) {
        var sent = headers.all(name);
        if (sent.size() != 1 || !decoded(name, sent).equals(value)) {
            throw mismatch(name + " must be there once and say what the content says");
        }
    }

    private static RpcError mismatch(String why) {
        return RpcError.of(400, RpcError.HEADER_MISMATCH, "the header " + why);
    }

    /// Values that a header cannot contain are sent in Base64.
    private static String decoded(String name, List<String> sent) {
        var text = sent.getFirst().strip();
        if (!text.startsWith(BASE64) || !text.endsWith("?=")) {
            return text;
        }
        try {
            var bytes = Base64.getDecoder().decode(text.substring(BASE64.length(), text.length() - 2));
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (IllegalArgumentException | CharacterCodingException _) {
            throw mismatch(name + " is not Base64 of a text");
        }
    }

    private static BsonDocument meta(BsonDocument params) {
        return BsonValues.object(params, "_meta").orElseGet(BsonDocument::new);
    }

    private static RpcError invalid(String why) {
        return RpcError.of(400, RpcError.INVALID_REQUEST, why);
    }

    /// The supported revisions of the protocol, newest first.
    enum Revision {
        /// Stateless: each request contains its protocol version and capabilities.
        R2026_07_28("2026-07-28", false),
        R2025_11_25("2025-11-25", true),
        R2025_06_18("2025-06-18", true);

        private final String version;
        private final boolean legacy;

        Revision(String version, boolean legacy) {
            this.version = version;
            this.legacy = legacy;
        }

        static Optional<Revision> of(String version) {
            return Arrays.stream(values())
                    .filter(revision -> revision.version.equals(version))
                    .findFirst();
        }

        static List<String> versions() {
            return Arrays.stream(values()).map(Revision::version).toList();
        }

        String version() {
            return version;
        }

        /// Whether clients send `initialize` first.
        boolean isLegacy() {
            return legacy;
        }
    }
}
