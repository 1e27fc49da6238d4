package org.restheart.rest.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.bson.JsonWeight;
import org.restheart.bson.MalformedJsonException;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Content;
import org.restheart.http.ContentTrees;
import org.restheart.http.Cors;
import org.restheart.http.KnownKeys;
import org.restheart.http.Lease;
import org.restheart.http.Method;
import org.restheart.http.Preferences;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.Service.ErrorStyle;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Via;
import org.restheart.http.parameter.DataParameter;
import org.restheart.rest.content.DataContent;
import org.restheart.rest.format.DocumentFormat.BsonBytes;
import org.restheart.rest.parameter.ParameterWarnings;
import org.restheart.rest.session.OwnTransactions.Attempt;
import org.restheart.rest.session.OwnTransactions.Outcome;
import org.restheart.text.ShortText;

/// `POST /_transactions`: a list of requests for documents, all of which are carried out in one transaction, or none.
/// Each is authorized, guarded and answered as a request of its own. Thread-safe.
public record TransactionsService(OwnTransactions transactions, JudgedRequests judged) implements Service {
    private static final int MOST = 100;
    private static final int MOST_BYTES = 1 << 20;
    private static final int MOST_PARAMETERS = 100;
    private static final int MOST_QUOTED = 50;

    /// Of all results together: they are there until the transaction is committed.
    private static final long MOST_RESULT_BYTES = 16L << 20;

    private static final int PIECE = 64 << 10;

    /// How often a result is there: in buffers that grow, one after the other, and as a whole.
    private static final int COPIES = 4;

    private static final KnownKeys KEYS = KnownKeys.of("method path headers body");

    /// Those of the caller and the connection come with the request itself.
    private static final List<String> HEADERS = List.of("Accept", "If-Match", "If-None-Match", "Prefer");

    /// A client that sends one would believe that nothing is done twice, or only to what it knows.
    private static final List<String> WITHOUT_EFFECT = List.of("Idempotency-Key", "If-Match");

    private static final Pattern JSON = Pattern.compile("application/([\\w.-]+\\+)?json *(;.*)?");

    private static final List<String> SHOWN =
            List.of("ETag", "Location", "Link", "X-Total-Count", Preferences.APPLIED, "Warning");

    /// Its path, below that of the data API.
    public static String uri(String data) {
        return (data.equals("/") ? "" : data) + "/_transactions";
    }

    @Override
    public Cors cors(Request request) {
        return new Cors("POST", Cors.DEFAULT_HEADERS, "ETag");
    }

    @Override
    public ErrorStyle errorStyle() {
        return ErrorStyle.STATUS;
    }

    @Override
    public Response handle(Request request) {
        request.requireMethod(Method.POST);
        request.requireThread();
        refuseWithoutEffect(request);
        boolean isRehearsal = isRehearsal(request);
        var operations = operations(request);
        var response = transactions.run(
                request,
                attempt -> new Outcome<>(carriedOut(attempt.outer(request), attempt, operations), !isRehearsal));
        return isRehearsal ? response.with(Preferences.APPLIED, "tx=rollback") : response;
    }

    private static void refuseWithoutEffect(Request request) {
        for (var header : WITHOUT_EFFECT) {
            if (request.headers().has(header)) {
                throw new ProblemException(ProblemCode.BAD_REQUEST, header + " has no effect on a transaction");
            }
        }
        ParameterWarnings.refuseBrackets(request.query());
        for (var name : request.query().names()) {
            if (!DataParameter.of(name).equals(Optional.of(DataParameter.WITHOUT_CHALLENGE))) {
                throw new ProblemException(
                        ProblemCode.PARAMETER_INVALID,
                        "the parameter " + ShortText.of(name, MOST_QUOTED)
                                + " has no effect on a transaction: it belongs to the paths of operations");
            }
        }
        var type = DataContent.mediaType(request);
        if (!type.isEmpty() && !type.equals("application/json")) {
            throw new ProblemException(ProblemCode.CONTENT_TYPE_UNSUPPORTED, "Content-Type must be application/json");
        }
    }

    /// Other preferences are those of operations: a bound that no operation has must not be carried out as if there
    /// were none.
    private static boolean isRehearsal(Request request) {
        var preferences = Preferences.of(request);
        if (preferences.maxAffected().isPresent()) {
            throw Preferences.refusal("max-affected is a header of operations");
        }
        return preferences.isRehearsal();
    }

    private static List<JudgedRequest> operations(Request request) {
        if (request.body().isLongerThan(MOST_BYTES)) {
            throw new ProblemException(ProblemCode.CONTENT_TOO_LARGE, "a transaction has at most 1 MiB");
        }
        BsonValue content;
        try {
            content = JsonParser.parse(request.body().bytes());
        } catch (MalformedJsonException e) {
            throw invalid("Invalid JSON. " + e.getMessage());
        }
        if (!(content instanceof BsonArray list) || list.isEmpty() || list.size() > MOST) {
            throw invalid("a transaction is an array of 1 to " + MOST
                    + " operations {\"method\": \"PATCH\", \"path\": \"/coll/id\", \"headers\": {}, \"body\": {}}");
        }
        ContentTrees.admit(request.body(), RawDocuments.values(list));
        var operations = new ArrayList<JudgedRequest>();
        for (int i = 0; i < list.size(); i++) {
            var operation = operation(i, list.get(i));
            if (!operation.body().isAbsent()) {
                var bytes = operation.body().bytes();
                request.body().hold(bytes.length + JsonWeight.of(bytes));
            }
            operations.add(
                    DataParameter.WITHOUT_CHALLENGE.isIn(request.query())
                            ? operation.withHeader("No-Auth-Challenge", "true")
                            : operation);
        }
        return operations;
    }

    private static JudgedRequest operation(int index, BsonValue value) {
        if (!(value instanceof BsonDocument operation)) {
            throw invalid(index, "must be an object with method and path");
        }
        var unknown = operation.keySet().stream()
                .filter(key -> !KEYS.known().contains(key))
                .toList();
        if (!unknown.isEmpty()) {
            throw invalid(index, "has unknown keys: " + ShortText.of(String.join(", ", unknown), 100));
        }
        var method = Method.of(text(index, operation, "method").toUpperCase(Locale.ROOT))
                .filter(known -> known != Method.OPTIONS && known != Method.HEAD)
                .orElseThrow(() -> invalid(index, "method must be GET, POST, PUT, PATCH or DELETE"));
        var target = text(index, operation, "path");
        if (!target.startsWith("/")) {
            throw invalid(index, "path must begin with /");
        }
        var request = JudgedRequest.of(method, target, MOST_PARAMETERS, Via.REST);
        var body = operation.get("body");
        if (body != null && !body.isNull()) {
            request = request.withContent(
                    JsonEncoder.of(JsonMode.EXTENDED).encodeToString(body).getBytes(UTF_8));
        }
        return withHeaders(index, request, operation.getOrDefault("headers", BsonNull.VALUE));
    }

    private static JudgedRequest withHeaders(int index, JudgedRequest request, BsonValue headers) {
        if (headers.isNull()) {
            return request;
        }
        if (!(headers instanceof BsonDocument named)) {
            throw invalid(index, "headers must be an object of strings");
        }
        var changed = request;
        for (var header : named.entrySet()) {
            if (HEADERS.stream().noneMatch(header.getKey()::equalsIgnoreCase)) {
                throw invalid(
                        index, "may have the headers " + String.join(", ", HEADERS) + "; others come with the request");
            }
            if (!(header.getValue() instanceof BsonString line)
                    || line.getValue().chars().anyMatch(c -> c < ' ' || c > '~')) {
                throw invalid(index, "headers must be strings of printable ASCII");
            }
            changed = changed.withHeader(header.getKey(), line.getValue());
        }
        return changed;
    }

    private static String text(int index, BsonDocument operation, String key) {
        if (operation.get(key) instanceof BsonString text) {
            return text.getValue();
        }
        throw invalid(index, key + " must be a string");
    }

    private static ProblemException invalid(int index, String what) {
        return invalid("operation " + index + ": " + what);
    }

    private static ProblemException invalid(String message) {
        return new ProblemException(CONTENT_INVALID, message);
    }

    /// @throws ProblemException the first failure, with its index
    private Response.Ready carriedOut(Request request, Attempt attempt, List<JudgedRequest> operations) {
        var out = new Utf8Buffer();
        long bytes = 0;
        for (int i = 0; i < operations.size(); i++) {
            try {
                var answer =
                        judged.make(request, attempt.partOf(operations.get(i))).settled();
                if (answer.headers()
                        .first("Content-Type")
                        .filter(BsonBytes.MEDIA_TYPE::equals)
                        .isPresent()) {
                    throw invalid("the results of a transaction are JSON, not BSON");
                }
                var body = body(answer, MOST_RESULT_BYTES - bytes, request.lease());
                bytes += body.length;
                if (answer.status() >= 400 || answer.status() == 207) {
                    throw refused(answer, body);
                }
                out.ascii(i == 0 ? "[" : ", ");
                boolean isJson = !DataParameter.JSON_MODE
                        .choice(operations.get(i).query())
                        .equals(Optional.of("shell"));
                encode(answer, body, isJson, out);
            } catch (ProblemException e) {
                if (attempt.isTransient()) {
                    throw e;
                }
                throw e.problem().at(i).raise(e); // which tells conflicts that a result meets while it is read
            }
        }
        out.put(']');
        return Response.status(200).with(Response.JSON, new Content.Bytes(out.toByteBuffer(), request.lease()));
    }

    /// @param lease takes what each piece needs before there is more
    private static byte[] body(Response.Ready answer, long most, Lease lease) {
        int copies = answer.content() instanceof Content.Bytes ? 1 : COPIES; // those are held by their stream
        try (var in = Content.stream(answer.content())) {
            var bytes = new ByteArrayOutputStream();
            for (var piece = in.readNBytes(PIECE); piece.length > 0; piece = in.readNBytes(PIECE)) {
                lease.hold((long) copies * piece.length);
                bytes.writeBytes(piece);
                if (bytes.size() > most) {
                    throw new ProblemException(
                            ProblemCode.UNPROCESSABLE,
                            "the results of a transaction are larger than 16 MiB: ask for less");
                }
            }
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Such as an array of which an element has failed: the transaction has failed with it.
    private static ProblemException refused(Response.Ready answer, byte[] body) {
        var code = answer.status() == 412 ? ProblemCode.PRECONDITION_FAILED : ProblemCode.BAD_REQUEST;
        return new ProblemException(
                code, "status " + answer.status() + " " + ShortText.of(new String(body, UTF_8), 1_000));
    }

    /// JSON stays as it is, in the mode that was asked for; what is none becomes a string.
    private static void encode(Response.Ready answer, byte[] body, boolean mayBeJson, Utf8Buffer out) {
        var headers = new BsonDocument();
        answer.headers().forEach((name, value) -> {
            if (SHOWN.contains(name)) {
                headers.append(name, new BsonString(value));
            }
        });
        var encoder = JsonEncoder.of(JsonMode.DEFAULT);
        out.ascii("{\"status\": ").decimal(answer.status()).ascii(", \"headers\": ");
        encoder.encode(headers, out);
        if (body.length > 0) {
            out.ascii(", \"body\": ");
            var type = answer.headers().first("Content-Type").orElse("");
            if (mayBeJson && JSON.matcher(type).matches()) {
                out.put(body, 0, body.length);
            } else {
                encoder.encode(new BsonString(new String(body, UTF_8)), out);
            }
        }
        out.put('}');
    }
}
