package org.restheart.core.noninterference;

import static org.restheart.core.noninterference.Dice.array;
import static org.restheart.core.noninterference.Dice.document;

import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/// Filters over MongoDB's list of query operators.
record Filters(Dice dice, Values values, Expressions expressions) {

    BsonDocument filter() {
        return filter(2);
    }

    private BsonDocument filter(int depth) {
        if (depth > 0 && dice.percent(25)) {
            return document(
                    dice.of("$and", "$or", "$nor"),
                    dice.percent(80) ? array(filter(depth - 1), filter(depth - 1)) : array(filter(depth - 1)));
        }
        return switch (dice.below(30)) {
            case 0, 1, 2 -> document("$expr", expressions.expression());
            case 3, 4, 5 ->
                document("$or", array(document("$expr", expressions.guess()), document("_id", new BsonString("none"))));
            case 6 -> document("$text", document("$search", new BsonString(dice.of("alpha", "beta", "-alpha"))));
            case 7 -> document("$where", new BsonString("this." + values.field() + " == 1"));
            case 8 -> document("$jsonSchema", schema());
            case 9 -> document("$comment", values.string()).append(values.path(), values.value());
            case 10 -> document("$sampleRate", new org.bson.BsonDouble(1.0));
            case 11 -> document("_id", dice.of(new BsonString("m0"), new BsonString("h0"), new BsonInt32(1)));
            case 12 -> {
                var two = document(values.path(), condition(1));
                two.putAll(document(values.path(), condition(1)));
                yield two;
            }
            default -> document(values.path(), condition(1));
        };
    }

    private BsonDocument schema() {
        return dice.of(
                document("required", array(new BsonString(values.field()))),
                document(
                        "properties",
                        document(values.field(), document("bsonType", new BsonString(dice.of("int", "string"))))),
                document("minProperties", values.number()));
    }

    private BsonValue condition(int depth) {
        return switch (dice.below(34)) {
            case 0, 1, 2, 3, 4, 5 -> values.value();
            case 6, 7, 8, 9 -> document(dice.of("$gt", "$gte", "$lt", "$lte", "$ne", "$eq"), values.value());
            case 10, 11 -> document(dice.of("$in", "$nin", "$all"), some());
            case 12, 13 -> document("$exists", BsonBoolean.valueOf(dice.percent(50)));
            case 14, 15 ->
                document(
                        "$type",
                        dice.percent(50) ? values.number() : new BsonString(dice.of("string", "array", "int")));
            case 16 -> document("$mod", array(values.number(), values.number()));
            case 17, 18 ->
                document("$regex", new BsonString(dice.of("^a", "x", "(", "^(a+)+$", "1")))
                        .append("$options", new BsonString(dice.of("", "i", "s", "x")));
            case 19 -> document("$regex", new BsonString(dice.of("^a", ".", "^[a-m]")));
            case 20 -> document("$size", values.number());
            case 21 ->
                document(dice.of("$bitsAllSet", "$bitsAnyClear", "$bitsAllClear", "$bitsAnySet"), values.number());
            case 22, 23 -> document("$elemMatch", depth == 0 ? document("k", values.number()) : element(depth - 1));
            case 24 -> document("$not", condition(0));
            case 25 ->
                document(
                        "$geoWithin",
                        document("$centerSphere", array(values.point(), new BsonInt32(dice.of(0, 1, 4)))));
            case 26 -> document("$geoWithin", document("$box", array(values.point(), values.point())));
            case 27 -> document("$geoIntersects", document("$geometry", values.geometry()));
            case 28 -> document(dice.of("$near", "$nearSphere"), values.point());
            case 29 -> document("$near", document("$geometry", values.geometry()));
            case 30 -> document("$unknown", values.scalar());
            default -> values.scalar();
        };
    }

    private BsonDocument element(int depth) {
        return dice.percent(50)
                ? document(dice.of("k", "secret", "open"), condition(depth))
                : document(dice.of("$gt", "$eq", "$ne"), values.scalar());
    }

    private BsonArray some() {
        var array = new BsonArray();
        for (int i = dice.below(4); i > 0; i--) {
            array.add(values.value());
        }
        return array;
    }
}
