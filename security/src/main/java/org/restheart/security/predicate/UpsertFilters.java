package org.restheart.security.predicate;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.parameter.DataParameter;

/// The fields that an upserting `PATCH` stores besides its content: MongoDB copies the values that its filter
/// compares with into the new document. Every field that a filter names counts, with any operator.
public final class UpsertFilters {
    private UpsertFilters() {}

    /// A document with one field for each condition of the request's filters, without conditions on `_id` if
    /// the path names the document. Empty if the request cannot insert a document. Malformed filters are
    /// ignored: the handler refuses them.
    public static List<BsonDocument> of(Request request) {
        var query = request.query();
        if (request.method() != Method.PATCH
                || DataParameter.WRITE_MODE
                        .choice(query)
                        .filter("upsert"::equals)
                        .isEmpty()) {
            return List.of();
        }
        boolean isNamed = request.attribute(DataTarget.KEY)
                .filter(target -> target.kind() == ResourceKind.DOCUMENT)
                .isPresent();
        var conditions = new ArrayList<BsonDocument>();
        for (var parameter : List.of(DataParameter.FILTER, DataParameter.SHARD_KEY)) {
            for (var text : parameter.texts(query)) {
                try {
                    collect(JsonParser.parse(text), isNamed, conditions);
                } catch (MalformedJsonException _) {
                    // the parameter is refused later: nothing is written
                }
            }
        }
        return conditions;
    }

    private static void collect(BsonValue filter, boolean isNamed, List<BsonDocument> conditions) {
        if (filter.isArray()) {
            filter.asArray().forEach(each -> collect(each, isNamed, conditions));
        } else if (filter.isDocument()) {
            filter.asDocument().forEach((name, value) -> {
                if (name.startsWith("$")) {
                    collect(value, isNamed, conditions);
                } else if (!isNamed || !name.equals("_id")) {
                    conditions.add(new BsonDocument(name, value));
                }
            });
        }
    }
}
