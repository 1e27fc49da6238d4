package org.restheart.graphql.app;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// The paths at which a definition is served. Immutable.
///
/// @param declared `descriptor.uri`, as [#normal] has it
/// @param id the document's in the same form, if it is a string
public record AppUris(Optional<String> declared, Optional<String> id) {
    /// @param id the document's; null if MongoDB generates it
    static AppUris of(BsonDocument descriptor, @Nullable BsonValue id) {
        var uri = descriptor.get("uri");
        return new AppUris(
                Optional.ofNullable(uri)
                        .filter(BsonValue::isString)
                        .map(text -> normal(text.asString().getValue())),
                Optional.ofNullable(id)
                        .filter(BsonValue::isString)
                        .map(text -> normal(text.asString().getValue()))
                        .filter(path -> !path.isEmpty()));
    }

    /// A definition's name for the log, `{"_id": …}`: it may have no path that can be read.
    public static String nameOf(BsonDocument definition) {
        return new BsonDocument("_id", definition.get("_id", BsonNull.VALUE)).toJson();
    }

    /// Without slashes at its beginning and end, which do not count.
    public static String normal(String uri) {
        int begin = 0;
        int end = uri.length();
        while (begin < end && uri.charAt(begin) == '/') {
            begin++;
        }
        while (end > begin && uri.charAt(end - 1) == '/') {
            end--;
        }
        return uri.substring(begin, end);
    }

    /// All of them.
    public Set<String> all() {
        var all = new LinkedHashSet<String>();
        declared.ifPresent(all::add);
        id.ifPresent(all::add);
        return all;
    }

    /// The path that no other app may have: the declared path, or the id without one.
    public Optional<String> own() {
        return declared.or(() -> id);
    }
}
