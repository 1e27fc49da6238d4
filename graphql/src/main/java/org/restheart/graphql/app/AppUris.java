package org.restheart.graphql.app;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.BsonValues;

/// The paths at which a stored definition is served. Each has one spelling: what a request's path has below the
/// service's, decoded, without slashes at its end. Immutable.
///
/// @param declared `descriptor.uri`, as [#normal] has it
/// @param id the document's, exactly, if it is a text that can be one segment of a path
/// @param isEnabled whether the definition does not say that it is disabled
public record AppUris(Optional<String> declared, Optional<String> id, boolean isEnabled) {
    /// @param definition as stored, also an invalid one; without `_id` if MongoDB generates it
    public static AppUris of(BsonDocument definition) {
        var descriptor = BsonValues.object(definition, "descriptor").orElseGet(BsonDocument::new);
        var declared = BsonTexts.of(descriptor, "uri").map(AppUris::normal).filter(path -> !path.isEmpty());
        var id = BsonTexts.of(definition, "_id").filter(AppUris::isSegment);
        return new AppUris(declared, id, !BsonBoolean.FALSE.equals(descriptor.get("enabled")));
    }

    /// A definition's name for the log, `{"_id": …}`: it may have no path that can be read.
    public static String nameOf(BsonDocument definition) {
        return new BsonDocument("_id", definition.get("_id", BsonNull.VALUE)).toJson();
    }

    /// Without slashes at its beginning and end, which do not count.
    private static String normal(String uri) {
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

    /// Whether the text is a path that requests can have: of segments that are not empty, and that neither clients nor
    /// proxies resolve.
    static boolean isPath(String text) {
        return List.of(text.split("/", -1)).stream().allMatch(AppUris::isSegment);
    }

    private static boolean isSegment(String text) {
        return !text.isBlank()
                && text.indexOf('/') < 0
                && !text.equals(".")
                && !text.equals("..")
                && text.chars().noneMatch(Character::isISOControl);
    }

    public Set<String> all() {
        var all = new LinkedHashSet<String>();
        declared.ifPresent(all::add);
        id.ifPresent(all::add);
        return all;
    }

    /// The declared path, or the id without one. It has precedence over the id of a definition that declares another.
    public Optional<String> own() {
        return declared.or(() -> id);
    }
}
