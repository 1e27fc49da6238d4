package org.restheart.http.judged;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.Connection;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.text.Words;

/// The REST API's paths of MongoDB's resources, for services that translate into its requests. Thread-safe.
public interface DataPaths {
    /// Segments behind a collection that name resources of it, so that no document has them as its id there.
    Set<String> RESERVED = Words.of("* _size _meta _violations _validator _indexes _aggrs _streams");

    /// In any case.
    static boolean isReserved(String segment) {
        return RESERVED.contains(segment.toLowerCase(Locale.ROOT));
    }

    /// The path of a collection through the most specific mount that contains it; empty if there is none, or if the
    /// name is reserved in paths.
    ///
    /// @param connection mounts may depend on the host name of the request
    Optional<String> ofCollection(Connection connection, String database, String collection);

    /// The path of a database; empty if no mount shows it as a whole, or if the name is reserved in paths.
    Optional<String> ofDatabase(Connection connection, String database);

    /// The patterns of the paths of collections, with unknown segments in place of names: at least those that
    /// collections may have. Decided by the mounts alone.
    ///
    /// @param database of the collections; empty for all
    List<List<Segment>> collectionPaths(Optional<String> database);

    /// The suffix of a collection's path for one document: a segment, and a query if the segment alone is ambiguous.
    /// Empty for an id that cannot be written in a path.
    Optional<String> ofId(BsonValue id);

    /// The same for the document that a filter means, if the filter is nothing but one id.
    default Optional<String> ofIdIn(BsonDocument filter) {
        var id = filter.size() == 1 ? filter.get("_id") : null;
        boolean isOne = id != null && !id.isDocument() && !id.isArray() && !id.isRegularExpression() && !id.isNull();
        return isOne && id != null ? ofId(id) : Optional.empty();
    }
}
