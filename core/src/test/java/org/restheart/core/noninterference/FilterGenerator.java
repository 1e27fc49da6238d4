package org.restheart.core.noninterference;

import static org.restheart.core.noninterference.ValueGenerator.array;
import static org.restheart.core.noninterference.ValueGenerator.document;

import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/// Generates filters over MongoDB's list of query operators.
record FilterGenerator(RandomSource random, ValueGenerator values, ExpressionGenerator expressions) {

    BsonDocument filter() {
        return filter(2);
    }

    private BsonDocument filter(int depth) {
        if (depth > 0 && random.percent(25)) {
            return document(
                    random.pick("$and", "$or", "$nor"),
                    random.percent(80) ? array(filter(depth - 1), filter(depth - 1)) : array(filter(depth - 1)));
        }
        return switch (random.nextInt(30)) {
            case 0, 1, 2 -> document("$expr", expressions.expression());
            case 3, 4, 5 ->
                document("$or", array(document("$expr", expressions.guess()), document("_id", new BsonString("none"))));
            case 6 -> search();
            case 13 -> {
                var both = search();
                both.putAll(document(values.path(), condition(1)));
                yield both;
            }
            case 7 -> document("$where", new BsonString("this." + values.field() + " == 1"));
            case 8 -> document("$jsonSchema", schema());
            case 9 -> document("$comment", values.string()).append(values.path(), values.value());
            case 10 -> document("$sampleRate", new org.bson.BsonDouble(1.0));
            case 11 -> document("_id", random.pick(new BsonString("m0"), new BsonString("h0"), new BsonInt32(1)));
            case 12 -> {
                var two = document(values.path(), condition(1));
                two.putAll(document(values.path(), condition(1)));
                yield two;
            }
            default -> document(values.path(), condition(1));
        };
    }

    /// By an index made for it.
    private BsonDocument search() {
        if (random.percent(50)) {
            return document(
                    "$text",
                    document(
                            "$search", new BsonString(random.pick("alpha", "beta", "-alpha", "one alpha", "running"))));
        }
        var near =
                document("$geometry", document("type", new BsonString("Point")).append("coordinates", values.point()));
        if (random.percent(70)) {
            near.append(random.pick("$maxDistance", "$minDistance"), new BsonInt32(random.pick(0, 100_000, 900_000)));
        }
        return document("loc", document(random.pick("$near", "$nearSphere"), near));
    }

    private BsonDocument schema() {
        return random.pick(
                document("required", array(new BsonString(values.field()))),
                document(
                        "properties",
                        document(values.field(), document("bsonType", new BsonString(random.pick("int", "string"))))),
                document("minProperties", values.number()));
    }

    private BsonValue condition(int depth) {
        return switch (random.nextInt(34)) {
            case 0, 1, 2, 3, 4, 5 -> values.value();
            case 6, 7, 8, 9 -> document(random.pick("$gt", "$gte", "$lt", "$lte", "$ne", "$eq"), values.value());
            case 10, 11 -> document(random.pick("$in", "$nin", "$all"), some());
            case 12, 13 -> document("$exists", BsonBoolean.valueOf(random.percent(50)));
            case 14, 15 ->
                document(
                        "$type",
                        random.percent(50) ? values.number() : new BsonString(random.pick("string", "array", "int")));
            case 16 -> document("$mod", array(values.number(), values.number()));
            case 17, 18 ->
                document("$regex", new BsonString(random.pick("^a", "x", "(", "^(a+)+$", "1")))
                        .append("$options", new BsonString(random.pick("", "i", "s", "x")));
            case 19 -> document("$regex", new BsonString(random.pick("^a", ".", "^[a-m]")));
            case 20 -> document("$size", values.number());
            case 21 ->
                document(random.pick("$bitsAllSet", "$bitsAnyClear", "$bitsAllClear", "$bitsAnySet"), values.number());
            case 22, 23 -> document("$elemMatch", depth == 0 ? document("k", values.number()) : element(depth - 1));
            case 24 -> document("$not", condition(0));
            case 25 ->
                document(
                        "$geoWithin",
                        document("$centerSphere", array(values.point(), new BsonInt32(random.pick(0, 1, 4)))));
            case 26 -> document("$geoWithin", document("$box", array(values.point(), values.point())));
            case 27 -> document("$geoIntersects", document("$geometry", values.geometry()));
            case 28 -> document(random.pick("$near", "$nearSphere"), values.point());
            case 29 -> document("$near", document("$geometry", values.geometry()));
            case 30 -> document("$unknown", values.scalar());
            default -> values.scalar();
        };
    }

    private BsonDocument element(int depth) {
        return random.percent(50)
                ? document(random.pick("k", "secret", "open"), condition(depth))
                : document(random.pick("$gt", "$eq", "$ne"), values.scalar());
    }

    private BsonArray some() {
        var array = new BsonArray();
        for (int i = random.nextInt(4); i > 0; i--) {
            array.add(values.value());
        }
        return array;
    }
}
