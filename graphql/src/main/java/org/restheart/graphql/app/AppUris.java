package org.restheart.graphql.app;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// Under which paths a definition answers. Immutable.
///
/// @param declared `descriptor.uri` without leading slashes
/// @param id the document's, if that is a text
public record AppUris(Optional<String> declared, Optional<String> id) {
    /// @param id the document's; null if MongoDB is to make one
    static AppUris of(BsonDocument descriptor, @Nullable BsonValue id) {
        var uri = descriptor.get("uri");
        return new AppUris(
                Optional.ofNullable(uri)
                        .filter(BsonValue::isString)
                        .map(text -> withoutSlash(text.asString().getValue())),
                Optional.ofNullable(id)
                        .filter(BsonValue::isString)
                        .map(text -> text.asString().getValue()));
    }

    static String withoutSlash(String uri) {
        return uri.replaceFirst("^/+", "");
    }

    /// All of them.
    public Set<String> all() {
        var all = new LinkedHashSet<String>();
        declared.ifPresent(all::add);
        id.ifPresent(all::add);
        return all;
    }

    /// What no other app may answer at: the declared path, or the id without one.
    public Optional<String> own() {
        return declared.or(() -> id);
    }
}
