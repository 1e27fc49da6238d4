package org.restheart.core.noninterference;

import static org.restheart.core.noninterference.ValueGenerator.array;
import static org.restheart.core.noninterference.ValueGenerator.document;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/// Generates aggregation expressions over MongoDB's list of operators, except non-deterministic ones
/// (`$rand`, `$sampleRate`, `$$NOW`). Many fail on some documents.
record ExpressionGenerator(RandomSource random, ValueGenerator values) {
    private static final List<String> ONE = List.of(
            "$abs",
            "$ceil",
            "$exp",
            "$floor",
            "$ln",
            "$log10",
            "$sqrt",
            "$arrayToObject",
            "$first",
            "$isArray",
            "$last",
            "$objectToArray",
            "$reverseArray",
            "$size",
            "$not",
            "$binarySize",
            "$bsonSize",
            "$dayOfMonth",
            "$dayOfWeek",
            "$dayOfYear",
            "$hour",
            "$isoDayOfWeek",
            "$isoWeek",
            "$isoWeekYear",
            "$millisecond",
            "$minute",
            "$month",
            "$second",
            "$week",
            "$year",
            "$dateToParts",
            "$literal",
            "$mergeObjects",
            "$allElementsTrue",
            "$anyElementTrue",
            "$strLenBytes",
            "$strLenCP",
            "$toLower",
            "$toString",
            "$toUpper",
            "$sin",
            "$cos",
            "$tan",
            "$asin",
            "$acos",
            "$atan",
            "$asinh",
            "$acosh",
            "$atanh",
            "$sinh",
            "$cosh",
            "$tanh",
            "$degreesToRadians",
            "$radiansToDegrees",
            "$isNumber",
            "$toBool",
            "$toDate",
            "$toDecimal",
            "$toDouble",
            "$toInt",
            "$toLong",
            "$toObjectId",
            "$type",
            "$tsSecond",
            "$tsIncrement",
            "$bitNot",
            "$getField",
            "$min",
            "$max",
            "$avg",
            "$sum",
            "$stdDevPop",
            "$stdDevSamp",
            "$meta",
            "$const");
    private static final List<String> TWO = List.of(
            "$divide",
            "$mod",
            "$pow",
            "$subtract",
            "$log",
            "$atan2",
            "$arrayElemAt",
            "$in",
            "$cmp",
            "$eq",
            "$gt",
            "$gte",
            "$lt",
            "$lte",
            "$ne",
            "$round",
            "$trunc",
            "$setDifference",
            "$setEquals",
            "$setIsSubset",
            "$split",
            "$strcasecmp",
            "$range",
            "$slice",
            "$indexOfArray",
            "$indexOfBytes",
            "$indexOfCP",
            "$ifNull",
            "$bitAnd");
    private static final List<String> MANY = List.of(
            "$add",
            "$multiply",
            "$concatArrays",
            "$and",
            "$or",
            "$setIntersection",
            "$setUnion",
            "$concat",
            "$cond",
            "$mergeObjects",
            "$substr",
            "$substrBytes",
            "$substrCP",
            "$ifNull",
            "$bitOr",
            "$bitXor");

    BsonValue expression() {
        return random.percent(4) ? document("$ifNull", array(function(expression(1)), leaf())) : expression(3);
    }

    /// An expression that fails for documents for which a random condition holds.
    BsonDocument guess() {
        var fail = random.percent(50)
                ? document("$toInt", document("$concat", array(new BsonString("x"), new BsonString("$_id"))))
                : document("$divide", array(new BsonInt32(1), new BsonInt32(0)));
        var field = new BsonString("$" + values.path());
        var guess = random.pick(
                document("$eq", array(field, values.scalar())),
                document("$gt", array(field, values.scalar())),
                document("$regexMatch", document("input", field).append("regex", new BsonString("^a"))),
                document("$in", array(values.scalar(), field)));
        return document("$cond", array(guess, fail, org.bson.BsonBoolean.TRUE));
    }

    private BsonValue leaf() {
        return switch (random.nextInt(10)) {
            case 0, 1, 2, 3, 4 -> new BsonString("$" + values.path());
            case 5 ->
                new BsonString(random.pick("$$ROOT", "$$CURRENT", "$$ROOT.", "$$CURRENT.", "$$REMOVE")
                        .concat("")
                        .replaceFirst("\\.$", "." + values.path()));
            case 6 -> document("$literal", values.value());
            case 7 ->
                document(
                        random.pick("$getField", "$getField", "$_internalFindAllValuesAtPath", "$meta"),
                        new BsonString(random.percent(80) ? values.field() : "indexKey"));
            default -> values.scalar();
        };
    }

    private BsonValue expression(int depth) {
        if (depth == 0 || random.percent(25)) {
            return leaf();
        }
        return switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4 -> document(random.pick(ONE), expression(depth - 1));
            case 5, 6, 7, 8, 9, 10 -> document(random.pick(TWO), array(expression(depth - 1), expression(depth - 1)));
            case 11, 12, 13 -> document(random.pick(MANY), arguments(depth));
            case 14, 15 -> guess();
            case 16 -> new BsonDocument(values.field(), expression(depth - 1));
            case 17 -> array(expression(depth - 1), leaf());
            default -> named(depth - 1);
        };
    }

    private BsonArray arguments(int depth) {
        var array = new BsonArray();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            array.add(expression(depth - 1));
        }
        return array;
    }

    /// Operators with named arguments.
    private BsonDocument named(int depth) {
        var input = expression(depth);
        var other = expression(depth);
        var text = new BsonString(random.pick("a", "^x", "(", "."));
        return switch (random.nextInt(23)) {
            case 0 -> document("$filter", document("input", input).append("cond", other));
            case 1 -> document("$map", document("input", input).append("in", other));
            case 2 ->
                document(
                        "$reduce",
                        document("input", input)
                                .append("initialValue", values.scalar())
                                .append("in", other));
            case 3 -> document("$regexMatch", document("input", input).append("regex", text));
            case 4 -> document("$regexFind", document("input", input).append("regex", text));
            case 5 -> document("$regexFindAll", document("input", input).append("regex", text));
            case 6 -> document("$trim", document("input", input));
            case 7 -> document("$ltrim", document("input", input).append("chars", other));
            case 8 ->
                document(
                        "$replaceOne",
                        document("input", input).append("find", other).append("replacement", text));
            case 9 ->
                document(
                        "$replaceAll",
                        document("input", input).append("find", text).append("replacement", other));
            case 10 -> document("$dateFromString", document("dateString", input));
            case 11 -> document("$dateToString", document("date", input));
            case 12 -> document("$convert", document("input", input).append("to", new BsonString("int")));
            case 13 ->
                document(
                        "$convert",
                        document("input", input)
                                .append("to", new BsonString("double"))
                                .append("onError", other));
            case 14 ->
                document(
                        "$switch",
                        document("branches", array(document("case", input).append("then", other))));
            case 15 -> document("$zip", document("inputs", array(input, other)));
            case 16 -> document("$sortArray", document("input", input).append("sortBy", new BsonInt32(1)));
            case 17 -> document("$let", document("vars", document("q", input)).append("in", new BsonString("$$q.x")));
            case 18 ->
                document(
                        "$setField",
                        document("field", new BsonString(values.field()))
                                .append("input", input)
                                .append("value", other));
            case 19 ->
                document(
                        "$getField",
                        document("field", new BsonString(values.field())).append("input", input));
            case 20 ->
                document(
                        random.pick("$firstN", "$lastN", "$maxN", "$minN"),
                        document("n", other).append("input", input));
            case 21 -> hash();
            default -> function(input);
        };
    }

    /// Of no document or tag: its hash depends on values that the server makes up.
    private BsonDocument hash() {
        return document("$toHashedIndexKey", new BsonString(random.pick("$secret", "$v", "$d.secret", "$n.secret")));
    }

    /// Server-side JavaScript.
    BsonDocument function(BsonValue input) {
        return document(
                "$function",
                document("body", new BsonString("function(x){return 1}"))
                        .append("args", array(input))
                        .append("lang", new BsonString("js")));
    }
}
