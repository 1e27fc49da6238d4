package org.restheart.graphql;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.bson.RawDocuments;
import org.restheart.graphql.app.Arguments;
import org.restheart.http.Body;
import org.restheart.http.ContentTrees;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.text.Nearest;

/// A client's request to an app. Immutable by agreement.
///
/// @param query empty if a stored document is named
/// @param documentId names a stored document
/// @param resumeAfter the token after which a subscription resumes, empty to begin now; with it, events contain tokens
/// @param warnings about members that have no effect
/// @param hint what to send instead, if there is neither a query nor the name of a document
record QueryRequest(
        Optional<String> query,
        Optional<String> documentId,
        Optional<String> operationName,
        Map<String, Object> variables,
        Optional<String> resumeAfter,
        List<String> warnings,
        String hint) {
    private static final String QUERY = "query";
    private static final String VARIABLES = "variables";
    private static final String DOCUMENT = "documentId";
    private static final List<String> MEMBERS = List.of(QUERY, DOCUMENT, "operationName", VARIABLES, "extensions");

    /// Characters of a member's name in a hint.
    private static final int MAX_NAME = 100;

    private static final int MAX_WARNINGS = 5;

    private static final QueryRequest EMPTY = ofText("");

    /// @throws ProblemException 400
    static QueryRequest of(Request request) {
        var mediaType = request.headers().first("Content-Type").orElse("").toLowerCase(Locale.ROOT);
        if (mediaType.startsWith("application/graphql")) {
            return ofText(text(request));
        }
        if (!mediaType.startsWith("application/json")) {
            throw bad("Bad request: Content-Type must be either application/graphql or application/json");
        }
        return ofJson(request.body());
    }

    private static QueryRequest ofText(String query) {
        return new QueryRequest(
                Optional.of(query).filter(text -> !text.isBlank()),
                Optional.empty(),
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                List.of(),
                "the content is empty: send {\"query\": \"{ ... }\"} as application/json, or the query as"
                        + " application/graphql");
    }

    /// @throws ProblemException 400, 413, 503
    static QueryRequest ofJson(Body content) {
        var json = content.bytes();
        if (json.length == 0) {
            return EMPTY;
        }
        BsonValue value;
        try {
            value = JsonParser.parse(json);
        } catch (MalformedJsonException e) {
            throw bad("the content is not JSON; a query that is not in JSON is sent as application/graphql");
        }
        if (!value.isDocument()) {
            throw bad("the content must be a JSON object");
        }
        return of(value.asDocument(), content);
    }

    /// @param content from which it was parsed
    /// @throws ProblemException 400; 413 and 503 for its variables, of which trees are made
    static QueryRequest of(BsonDocument body, Body content) {
        var variables = body.get(VARIABLES);
        if (variables != null) {
            ContentTrees.admit(content, RawDocuments.values(variables));
        }
        return new QueryRequest(
                BsonTexts.of(body, QUERY),
                BsonTexts.of(body, DOCUMENT).or(() -> persisted(body)),
                BsonTexts.of(body, "operationName").filter(name -> !name.isEmpty()),
                variables != null && variables.isDocument() ? Arguments.variables(variables.asDocument()) : Map.of(),
                BsonValues.object(body, "extensions")
                        .map(extensions -> extensions.get("resumeAfter"))
                        .map(QueryRequest::token),
                warnings(body),
                hint(body));
    }

    /// Unknown members are those of other servers' extensions, unless they are misspelt.
    private static List<String> warnings(BsonDocument body) {
        var warnings = new ArrayList<String>();
        var variables = body.get(VARIABLES);
        if (variables != null && !variables.isDocument() && !variables.isNull()) {
            warnings.add("variables are ignored: they must be an object");
        }
        for (var name : others(body)) {
            Nearest.to(name, MEMBERS)
                    .filter(meant -> !body.containsKey(meant))
                    .ifPresent(_ -> warnings.add("'" + name + "' is ignored" + Nearest.question(name, MEMBERS)));
        }
        return warnings.size() > MAX_WARNINGS ? List.copyOf(warnings.subList(0, MAX_WARNINGS)) : List.copyOf(warnings);
    }

    private static List<String> others(BsonDocument body) {
        return body.keySet().stream()
                .filter(name -> !MEMBERS.contains(name))
                .map(name -> name.length() > MAX_NAME ? name.substring(0, MAX_NAME) + "..." : name)
                .toList();
    }

    private static String hint(BsonDocument body) {
        var query = body.get(QUERY);
        if (query != null) {
            return query.isString() ? "query is empty" : "query must be a text";
        }
        if (body.containsKey(DOCUMENT) && !body.isString(DOCUMENT)) {
            return DOCUMENT + " must be a text";
        }
        var others = others(body);
        var meant = others.stream()
                .filter(name -> Nearest.to(name, MEMBERS).filter(QUERY::equals).isPresent())
                .findFirst()
                .or(() -> others.stream().findFirst());
        return "the member query is missing"
                + meant.map(name -> ", and '" + name + "' is unknown" + Nearest.question(name, MEMBERS))
                        .orElse("; it is the text of the operation");
    }

    /// The text of a token, which is an object, as in results, or a text. The position at which a stream began is
    /// a timestamp. For any other value, a text that is no valid token, so that the subscription is refused instead
    /// of missing events.
    private static String token(BsonValue token) {
        return switch (token) {
            case BsonDocument document -> document.toJson();
            case BsonTimestamp beginning -> JsonEncoder.of(JsonMode.EXTENDED).encodeToString(beginning);
            case BsonString text -> text.getValue();
            case BsonNull _ -> "";
            default -> token.getBsonType().name();
        };
    }

    /// `extensions.persistedQuery.sha256Hash`, as some clients send it.
    private static Optional<String> persisted(BsonDocument body) {
        return BsonValues.object(body, "extensions")
                .flatMap(extensions -> BsonValues.object(extensions, "persistedQuery"))
                .flatMap(query -> BsonTexts.of(query, "sha256Hash"));
    }

    private static String text(Request request) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(request.body().bytes()))
                    .toString();
        } catch (CharacterCodingException _) {
            throw bad("the content is not UTF-8");
        }
    }

    private static ProblemException bad(String message) {
        return new ProblemException(ProblemCode.BAD_REQUEST, message);
    }
}
