package org.restheart.mongo.find;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;

/// A query for the documents of a collection. Immutable by agreement. Its keys determine which queries may share
/// results; the query itself is not a key.
///
/// @param filter what must match, the access rule's filter first
/// @param sort empty for natural order
/// @param hint the index to use: its key document or its name
/// @param limit most documents; 0 for all
public record FindQuery(
        MongoNamespace namespace,
        StagedFilter filter,
        Projection projection,
        BsonDocument sort,
        Optional<BsonValue> hint,
        long skip,
        int limit,
        ReadSettings settings,
        Shortcuts shortcuts) {

    /// Without shortcuts.
    public FindQuery(
            MongoNamespace namespace,
            StagedFilter filter,
            Projection projection,
            BsonDocument sort,
            Optional<BsonValue> hint,
            long skip,
            int limit,
            ReadSettings settings) {
        this(namespace, filter, projection, sort, hint, skip, limit, settings, Shortcuts.NONE);
    }

    public FindQuery slice(long skip, int limit) {
        return new FindQuery(namespace, filter, projection, sort, hint, skip, limit, settings, shortcuts);
    }

    public FindQuery with(Shortcuts shortcuts) {
        return new FindQuery(namespace, filter, projection, sort, hint, skip, limit, settings, shortcuts);
    }

    public FindQuery with(ReadSettings settings) {
        return new FindQuery(namespace, filter, projection, sort, hint, skip, limit, settings, shortcuts);
    }

    public FindQuery with(StagedFilter filter) {
        return new FindQuery(namespace, filter, projection, sort, hint, skip, limit, settings, shortcuts);
    }

    public FindQuery with(Projection projection) {
        return new FindQuery(namespace, filter, projection, sort, hint, skip, limit, settings, shortcuts);
    }

    /// Whether it must be run as a pipeline: a filter of two steps, or one projection on the other's result.
    public boolean isStaged() {
        return filter.isStaged() || projection.isStaged();
    }

    public QueryKey orderKey() {
        return QueryKey.of(namespace).add(filter).add(sort).add(settings).key();
    }

    /// The key of what a cursor on the result returns.
    public QueryKey cursorKey() {
        return parts(settings).key();
    }

    /// The key of the documents that it finds now, within whatever time. A first page needs no shortcut but the
    /// preparation of later ones.
    public QueryKey sharedKey() {
        boolean isFirst = skip == 0 && shortcuts.cursorsAhead() == Shortcuts.CursorsAhead.NONE;
        return parts(settings.within(Duration.ZERO))
                .add(isFirst ? Shortcuts.NONE : shortcuts)
                .add(skip)
                .add(limit)
                .key();
    }

    private QueryKey.Parts parts(ReadSettings settings) {
        return QueryKey.of(namespace)
                .add(filter)
                .add(projection)
                .add(sort)
                .add(hint)
                .add(settings);
    }

    /// The keys by which MongoDB has sorted a result, in conditions on it: types, missing fields and elements of
    /// arrays are compared as the sort compared them, whatever index it used or did not.
    static final class SortKeys {
        private SortKeys() {}

        /// Whether the sort is by fields, and a total order.
        static boolean areTotal(BsonDocument sort) {
            return sort.containsKey("_id")
                    && !sort.containsKey("$natural")
                    && sort.values().stream().allMatch(BsonValue::isNumber);
        }

        /// The stages behind the `$sort` that leave what comes after the key. Sort keys are fields at first:
        /// `$match` itself does not know them.
        ///
        /// @param key a value for each field of the sort
        static List<BsonDocument> after(BsonDocument sort, BsonDocument key) {
            var withKeys = new BsonDocument("_id", new BsonInt32(0))
                    .append("document", new BsonString("$$ROOT"))
                    .append("keys", operator("$meta", new BsonString("sortKey")));
            return List.of(
                    operator("$project", withKeys),
                    operator("$match", operator("$expr", isAfter(sort, key))),
                    operator("$replaceRoot", new BsonDocument("newRoot", new BsonString("$document"))));
        }

        private static BsonValue isAfter(BsonDocument sort, BsonDocument key) {
            var fields = new ArrayList<>(sort.keySet());
            BsonValue condition = BsonBoolean.FALSE;
            for (int i = fields.size() - 1; i >= 0; i--) {
                var field = fields.get(i);
                var stored = operator("$arrayElemAt", new BsonString("$keys"), new BsonInt32(i));
                var given = operator("$literal", key.get(field, BsonNull.VALUE));
                var comparison = sort.getNumber(field).doubleValue() > 0 ? "$gt" : "$lt";
                condition = operator(
                        "$or",
                        operator(comparison, stored, given),
                        operator("$and", operator("$eq", stored, given), condition));
            }
            return condition;
        }

        private static BsonDocument operator(String name, BsonValue operand) {
            return new BsonDocument(name, operand);
        }

        private static BsonDocument operator(String name, BsonValue... operands) {
            return new BsonDocument(name, new BsonArray(List.of(operands)));
        }
    }
}
