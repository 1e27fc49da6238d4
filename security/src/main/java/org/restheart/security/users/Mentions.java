package org.restheart.security.users;

import java.util.List;
import org.bson.BsonDocument;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.bson.fields.Visibility;
import org.restheart.http.Query;

/// Checks whether the parameters of a request depend on hidden properties: by name, as a field path, or by an
/// expression that can access every property. Unknown forms count as dependent.
record Mentions(Visibility visibility) {
    private static final List<String> PARAMETERS =
            List.of("filter", "keys", "sort", "sort_by", "hint", "avars", "shardkey");

    boolean in(Query query) {
        return PARAMETERS.stream().anyMatch(name -> query.all(name).stream().anyMatch(text -> in(name, text)));
    }

    private boolean in(String parameter, String text) {
        try {
            if (JsonParser.parse(text) instanceof BsonDocument document) {
                return !allows(parameter, document);
            }
        } catch (MalformedJsonException _) {
            // the short form of a sort, the name of an index, or something that the handler refuses
        }
        return switch (parameter) {
            case "sort", "sort_by" -> !visibility.shows(text.strip().replaceFirst("^[+-]", ""));
            case "hint" -> visibility.paths().stream().anyMatch(text::contains);
            case "keys", "avars" ->
                text.contains("$") || visibility.paths().stream().anyMatch(text::contains);
            default -> false;
        };
    }

    private boolean allows(String parameter, BsonDocument document) {
        return (parameter.equals("filter") || parameter.equals("shardkey"))
                ? visibility.allowsFilter(document)
                : visibility.allowsKeys(document) && visibility.allowsExpression(document);
    }
}
