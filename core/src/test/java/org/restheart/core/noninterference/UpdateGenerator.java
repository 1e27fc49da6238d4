package org.restheart.core.noninterference;

import static org.restheart.core.noninterference.ValueGenerator.array;
import static org.restheart.core.noninterference.ValueGenerator.document;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/// Generates updates over MongoDB's lists of update operators and update stages.
record UpdateGenerator(
        RandomSource random, ValueGenerator values, FilterGenerator filters, ExpressionGenerator expressions) {
    /// No sort and no filter names it: which of two documents is stamped later is decided by the machine, not by data.
    private static final String STAMPED = "stamped";

    BsonValue update() {
        return random.percent(25) ? pipeline() : operators();
    }

    /// A document as `POST` and `PUT` send it.
    BsonDocument content() {
        var document = new BsonDocument();
        if (random.percent(60)) {
            document.put("owner", new BsonString(random.pick("xena", "xena", "yuri")));
        }
        if (random.percent(40)) {
            document.put("n", random.pick(document("k", new BsonInt32(1)), array(document("k", values.number()))));
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            document.put(random.percent(15) ? values.path() : field(), values.value());
        }
        document.remove("_id");
        if (document.containsKey("loc") && !document.isNull("loc")) {
            document.put("loc", values.point());
        }
        if (random.percent(3)) {
            document.put("$currentDate", document(STAMPED, org.bson.BsonBoolean.TRUE));
        }
        return document;
    }

    private String field() {
        return values.field();
    }

    private BsonDocument operators() {
        var update = new BsonDocument();
        for (int i = random.percent(80) ? 1 : 2; i > 0; i--) {
            if (random.percent(25)) {
                update.put(target(), values.value());
            } else {
                operator(update);
            }
        }
        return update;
    }

    private String target() {
        return switch (random.nextInt(12)) {
            case 0 -> random.pick("n.$.k", "a.$", "n.$[].k", "a.$[]", "n.$[].secret", "n.$[e].k");
            case 1 -> random.pick("n.0.k", "n.1.k", "n.0.secret", "a.1.x", "secret.x", "secret.0", "2024.0", "n.9.k");
            case 2 -> random.pick("n.$[e].k", "n.$[e].k", "n.$[e].x", "a.$[e]", "n.$[e]", "n.$[e].secret");
            default -> values.path();
        };
    }

    private void operator(BsonDocument update) {
        var target = target();
        switch (random.nextInt(18)) {
            case 0, 1 -> update.put("$set", document(target, values.value()));
            case 2 -> update.put("$unset", document(target, new BsonInt32(1)));
            case 3, 4 -> update.put("$inc", document(target, values.number()));
            case 5 -> update.put("$mul", document(target, values.number()));
            case 6, 7 -> update.put(random.pick("$min", "$max"), document(target, values.value()));
            case 8 -> update.put("$rename", document(target, new BsonString(values.path())));
            case 9 -> update.put("$setOnInsert", document(target, values.value()));
            case 10 -> update.put("$currentDate", document(STAMPED, org.bson.BsonBoolean.TRUE));
            case 11 -> update.put("$addToSet", document(target, values.value()));
            case 12 -> update.put("$pop", document(target, new BsonInt32(random.pick(-1, 1))));
            case 13 -> update.put("$pullAll", document(target, array(values.scalar(), values.scalar())));
            case 14 ->
                update.put(
                        "$pull",
                        document(
                                target,
                                random.percent(50)
                                        ? values.value()
                                        : document(random.pick("k", "secret"), values.scalar())));
            case 15 -> update.put("$bit", document(target, document(random.pick("and", "or", "xor"), values.number())));
            case 16 -> update.put("$push", document(target, values.value()));
            default -> update.put("$push", document(target, pushed()));
        }
    }

    private BsonDocument pushed() {
        var each = document("$each", array(values.value()));
        if (random.percent(40)) {
            each.put("$slice", values.number());
        }
        if (random.percent(40)) {
            each.put(
                    "$sort",
                    random.percent(50) ? new BsonInt32(1) : document(random.pick("k", "secret"), new BsonInt32(1)));
        }
        if (random.percent(20)) {
            each.put("$position", values.number());
        }
        return each;
    }

    private BsonArray pipeline() {
        var stages = new BsonArray();
        for (int i = random.percent(80) ? 1 : 2; i > 0; i--) {
            stages.add(stage());
        }
        return stages;
    }

    private BsonDocument stage() {
        return switch (random.nextInt(11)) {
            case 0, 1, 2, 3 ->
                document(random.pick("$set", "$addFields"), document(target(), expressions.expression()));
            case 4 -> document("$unset", new BsonString(values.path()));
            case 5 -> document("$project", document(values.path(), random.pick(new BsonInt32(1), new BsonInt32(0))));
            case 6 -> document("$project", document(values.path(), expressions.expression()));
            case 7 -> document(random.pick("$replaceWith"), expressions.expression());
            case 8 -> document("$replaceRoot", document("newRoot", expressions.expression()));
            case 9 -> document("$set", document("x", expressions.function(values.scalar())));
            default -> document("$set", document("x", expressions.expression()));
        };
    }
}
