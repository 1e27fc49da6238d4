package org.restheart.security.users;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.bson.fields.FieldPath;
import org.restheart.bson.fields.Visibility;
import org.restheart.data.Access;
import org.restheart.http.Query;
import org.restheart.http.parameter.DataParameter;
import org.restheart.http.parameter.DataParameter.Reveals;

/// Properties of accounts that a caller may not see.
record HiddenProperties(Set<String> names) {
    /// No property has this name: showing only it shows nothing.
    private static final String NOTHING = "-";

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
        return DataParameter.in(query).stream()
                .anyMatch(parameter -> parameter.names().stream()
                        .flatMap(name -> query.all(name).stream())
                        .anyMatch(text -> areUsedBy(parameter, text, visibility)));
    }

    private static boolean areUsedBy(DataParameter parameter, String text, Visibility visibility) {
        if (parameter.reveals() == Reveals.NOTHING) {
            return false;
        }
        try {
            var value = JsonParser.parse(text);
            var parts = value instanceof BsonArray all ? all : List.of(value);
            if (parts.stream().allMatch(BsonDocument.class::isInstance)) {
                return !parts.stream().allMatch(part -> allows(parameter.reveals(), part.asDocument(), visibility));
            }
        } catch (MalformedJsonException _) {
            // the short form of a sort, the name of an index, or something that the handler refuses
        }
        return switch (parameter.reveals()) {
            case ORDER -> !visibility.shows(text.strip().replaceFirst("^[+-]", ""));
            case INDEX -> visibility.paths().stream().anyMatch(text::contains);
            case PROJECTION, VARIABLES ->
                text.contains("$") || visibility.paths().stream().anyMatch(text::contains);
            case NOTHING, CONDITION, ELEMENTS, COMPARISON -> false;
        };
    }

    private static boolean allows(Reveals reveals, BsonDocument document, Visibility visibility) {
        return switch (reveals) {
            case CONDITION -> visibility.allowsFilter(document);
            case ORDER, INDEX, PROJECTION, VARIABLES ->
                visibility.allowsKeys(document) && visibility.allowsExpression(document);
            case NOTHING, ELEMENTS, COMPARISON -> true;
        };
    }
}
