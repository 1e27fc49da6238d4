package org.restheart.rest;

import static org.restheart.http.ProblemCode.METHOD_NOT_ALLOWED;
import static org.restheart.http.ProblemCode.NOT_FOUND;
import static org.restheart.http.access.ResourceKind.AGGREGATION;
import static org.restheart.http.access.ResourceKind.CHANGE_STREAM;
import static org.restheart.http.access.ResourceKind.DOCUMENT;
import static org.restheart.http.access.ResourceKind.FILE;
import static org.restheart.http.access.ResourceKind.FILE_BINARY;
import static org.restheart.http.access.ResourceKind.SCHEMA;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.restheart.http.Hint;
import org.restheart.http.KnownKeys;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.parameter.DataParameter;
import org.restheart.rest.resource.ResourceMethods;
import org.restheart.rest.resource.ResourcePath;

/// What the client of a refused request may have meant. Depends on the request and the kind of refusal only, so that it
/// reveals nothing of stored documents: those that do not exist and those that are hidden get the same.
final class Remedies {
    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,18}(\\.\\d{1,18})?");
    private static final KnownKeys IN_DATABASE = KnownKeys.of("_size _meta _schemas _sessions _imports")
            .meantBy("_count=_size _properties=_meta _txns=_sessions");
    private static final KnownKeys IN_COLLECTION = KnownKeys.of(
                    "_size _meta _violations _validator _indexes _aggrs _streams")
            .meantBy("_count=_size _aggregations=_aggrs _aggregate=_aggrs _properties=_meta");

    private static final List<Hint<Refused>> HINTS = List.of(
            Hint.of(
                    refused -> refused.is(NOT_FOUND, AGGREGATION, CHANGE_STREAM),
                    refused -> "the property " + (refused.path.kind() == AGGREGATION ? "aggrs" : "streams")
                            + " has the names: GET …/_meta. A name is one segment of the path: a slash in it is"
                            + " spelled %2F"),
            Hint.of(
                    refused -> refused.is(NOT_FOUND, DOCUMENT) && refused.word().isPresent(),
                    refused -> "did you mean " + refused.word().orElseThrow() + "?"),
            Hint.of(
                    refused -> refused.is(NOT_FOUND, DOCUMENT) && refused.path.surplus(),
                    "a slash within an id is written %2F"),
            Hint.of(
                    refused -> refused.is(NOT_FOUND, DOCUMENT, FILE, FILE_BINARY, SCHEMA)
                            && !refused.path.surplus()
                            && !DataParameter.ID_TYPE.isIn(refused.request.query())
                            && NUMBER.matcher(refused.path.requireName()).matches(),
                    refused -> "this is the text '" + refused.path.requireName()
                            + "'; id_type=NUMBER asks for the number"),
            Hint.of(refused -> refused.problem.code() == METHOD_NOT_ALLOWED, Remedies::ofMethod));

    private Remedies() {}

    private record Refused(Request request, ResourcePath path, Problem problem) {
        boolean is(ProblemCode code, ResourceKind... kinds) {
            return problem.code() == code && Arrays.asList(kinds).contains(path.kind());
        }

        Optional<String> word() {
            return Remedies.word(path.requireName(), IN_COLLECTION);
        }
    }

    static List<String> of(Request request, Problem refusal) {
        return Hint.about(new Refused(request, request.require(ResourcePath.KEY), refusal), HINTS);
    }

    /// The resource that a name is nearly the word for, if it begins with an underscore or is known otherwise.
    static Optional<String> wordOfDatabase(String name) {
        return word(name, IN_DATABASE);
    }

    private static Optional<String> word(String name, KnownKeys words) {
        var plain = name.toLowerCase(Locale.ROOT);
        var marked = plain.startsWith("_") ? plain : "_" + plain;
        return plain.equals(marked) || words.known().contains(marked) ? words.near(marked) : Optional.empty();
    }

    private static String ofMethod(Refused refused) {
        var request = refused.request;
        var path = refused.path;
        var allowed = "allowed here: "
                + String.join(
                        ", ",
                        List.of(Method.values()).stream()
                                .filter(one -> ResourceMethods.allows(path.kind(), one))
                                .map(Method::name)
                                .toList());
        return switch (path.kind()) {
            case DOCUMENT ->
                allowed
                        + (request.method() == Method.POST
                                ? "; documents are sent by POST to the path of the collection"
                                : "");
            case AGGREGATIONS -> allowed + "; GET …/_meta has the names of stored aggregations";
            case COLLECTION_INDEXES -> allowed + "; an index is made by PUT …/_indexes/NAME";
            case DB_META, COLLECTION_META, FILES_BUCKET_META, SCHEMA_STORE_META ->
                allowed + "; properties are written by PUT or PATCH of the path without /_meta";
            case TRANSACTIONS -> allowed + "; …/_txns/NUMBER is committed by PATCH and aborted by DELETE";
            case INVALID ->
                request.path().segments().contains("_sessions")
                        ? "there is no such resource: transactions are …/_sessions/SID/_txns and …/_txns/NUMBER"
                        : "there is no such resource: …/_aggrs/NAME and …/_streams/NAME have the names of GET …/_meta";
            default -> allowed;
        };
    }
}
