package org.restheart.security.users;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.bson.fields.FieldPath;
import org.restheart.bson.fields.Visibility;
import org.restheart.data.Access;
import org.restheart.http.Query;

/// Properties of accounts that a caller may not see.
record HiddenProperties(Set<String> names) {
    /// No property has this name: showing only it shows nothing.
    private static final String NOTHING = "-";

    private static final List<String> PARAMETERS =
            List.of("filter", "keys", "sort", "sort_by", "hint", "avars", "shardkey");

    /// The grant, which shows none of them.
    Access withhold(Access grant) {
        return grant.withProjectResponse(Optional.of(narrow(grant.projectResponse())));
    }

    private BsonDocument narrow(Optional<BsonDocument> projection) {
        var narrowed = new BsonDocument();
        boolean includes =
                projection.map(Visibility::of).filter(Visibility::only).isPresent();
        projection.ifPresent(given -> given.forEach((path, value) -> {
            if (!includes(path)) {
                narrowed.append(path, value);
            }
        }));
        if (!includes) {
            names.forEach(name -> narrowed.append(name, new BsonInt32(0)));
        } else if (narrowed.isEmpty()) {
            narrowed.append(NOTHING, new BsonInt32(1));
        }
        return narrowed;
    }

    private boolean includes(String path) {
        return names.stream().anyMatch(name -> FieldPath.isWithin(path, name));
    }

    /// Whether a parameter depends on one of them: by name, as a field path, or by an expression that can access every
    /// property. Unknown forms count as dependent.
    boolean areUsedBy(Query query) {
        var visibility = Visibility.hiding(names);
        return PARAMETERS.stream()
                .anyMatch(name -> query.all(name).stream().anyMatch(text -> areUsedBy(name, text, visibility)));
    }

    private static boolean areUsedBy(String parameter, String text, Visibility visibility) {
        try {
            if (JsonParser.parse(text) instanceof BsonDocument document) {
                return !allows(parameter, document, visibility);
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

    private static boolean allows(String parameter, BsonDocument document, Visibility visibility) {
        return (parameter.equals("filter") || parameter.equals("shardkey"))
                ? visibility.allowsFilter(document)
                : visibility.allowsKeys(document) && visibility.allowsExpression(document);
    }
}
