package org.restheart.mongo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.restheart.http.Method;
import org.restheart.http.Nearest;
import org.restheart.http.Problem;
import org.restheart.http.Request;
import org.restheart.mongo.resource.ResourceMethods;
import org.restheart.mongo.resource.ResourcePath;

/// What the client of a refused request may have meant. Depends on the request and the kind of refusal only, so that it
/// reveals nothing of stored documents: those that do not exist and those that are hidden get the same.
final class Remedies {
    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,18}(\\.\\d{1,18})?");
    private static final Pattern OBJECT_ID = Pattern.compile("[0-9a-fA-F]{24}");

    private static final List<String> IN_DATABASE = List.of("_size", "_meta", "_schemas", "_sessions", "_imports");
    private static final List<String> IN_COLLECTION =
            List.of("_size", "_meta", "_violations", "_validator", "_indexes", "_aggrs", "_streams");

    /// Words for the same, without the underscore.
    private static final Map<String, String> MEANT = Map.of(
            "count", "_size",
            "aggregations", "_aggrs",
            "aggregate", "_aggrs",
            "properties", "_meta",
            "txns", "_sessions");

    private Remedies() {}

    static List<String> of(Request request, Problem refusal) {
        var path = request.require(ResourcePath.KEY);
        return switch (refusal.code()) {
            case NOT_FOUND ->
                switch (path.kind()) {
                    case DOCUMENT -> ofDocument(request, path);
                    case FILE, FILE_BINARY, SCHEMA ->
                        ofId(request, path).stream().toList();
                    case AGGREGATION -> ofName("aggrs");
                    case CHANGE_STREAM -> ofName("streams");
                    default -> List.of();
                };
            case METHOD_NOT_ALLOWED -> List.of(ofMethod(request, path));
            default -> List.of();
        };
    }

    private static List<String> ofName(String property) {
        return List.of("the property " + property + " has the names: GET …/_meta. A name is one segment of the path:"
                + " a slash in it is spelled %2F");
    }

    /// The resource that a name is nearly the word for, if it begins with an underscore or is known otherwise.
    static Optional<String> wordOfDatabase(String name) {
        return word(name, IN_DATABASE);
    }

    private static Optional<String> word(String name, List<String> words) {
        var plain = name.toLowerCase(Locale.ROOT);
        var bare = plain.startsWith("_") ? plain.substring(1) : plain;
        if (!plain.startsWith("_") && !words.contains("_" + plain)) {
            return Optional.empty();
        }
        return Optional.ofNullable(MEANT.get(bare))
                .filter(words::contains)
                .or(() -> Nearest.to(plain.startsWith("_") ? plain : "_" + plain, words));
    }

    private static List<String> ofDocument(Request request, ResourcePath path) {
        var all = new ArrayList<String>();
        word(path.requireName(), IN_COLLECTION).ifPresent(word -> all.add("did you mean " + word + "?"));
        if (path.surplus()) {
            all.add("a slash within an id is written %2F");
        } else {
            ofId(request, path).ifPresent(all::add);
        }
        return all;
    }

    private static Optional<String> ofId(Request request, ResourcePath path) {
        var id = path.requireName();
        if (request.query().has("id_type")) {
            return Optional.empty();
        }
        if (NUMBER.matcher(id).matches()) {
            return Optional.of("this is the text '" + id + "'; id_type=NUMBER asks for the number");
        }
        return OBJECT_ID.matcher(id).matches()
                ? Optional.of("this is an ObjectId; id_type=STRING asks for the text")
                : Optional.empty();
    }

    private static String ofMethod(Request request, ResourcePath path) {
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
