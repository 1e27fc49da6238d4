package org.restheart.mongo.find;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;

/// The keys by which MongoDB has sorted a result, in conditions on it: types, missing fields and elements of
/// arrays are compared as the sort compared them, whatever index it used or did not.
final class SortKeys {
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
