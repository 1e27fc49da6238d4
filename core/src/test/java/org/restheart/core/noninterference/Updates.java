package org.restheart.core.noninterference;

import static org.restheart.core.noninterference.Dice.array;
import static org.restheart.core.noninterference.Dice.document;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/// Changes over MongoDB's list of update operators and of stages that updates may have.
record Updates(Dice dice, Values values, Filters filters, Expressions expressions) {

    BsonValue update() {
        return dice.percent(25) ? pipeline() : operators();
    }

    /// A document as `POST` and `PUT` send it.
    BsonDocument content() {
        var document = new BsonDocument();
        if (dice.percent(60)) {
            document.put("owner", new BsonString(dice.of("xena", "xena", "yuri")));
        }
        if (dice.percent(40)) {
            document.put("n", dice.of(document("k", new BsonInt32(1)), array(document("k", values.number()))));
        }
        for (int i = dice.below(4); i > 0; i--) {
            document.put(dice.percent(15) ? values.path() : field(), values.value());
        }
        document.remove("_id");
        if (document.containsKey("loc") && !document.isNull("loc")) {
            document.put("loc", values.point());
        }
        if (dice.percent(3)) {
            document.put("$currentDate", document(values.field(), org.bson.BsonBoolean.TRUE));
        }
        return document;
    }

    private String field() {
        return values.field();
    }

    private BsonDocument operators() {
        var update = new BsonDocument();
        for (int i = dice.percent(80) ? 1 : 2; i > 0; i--) {
            if (dice.percent(25)) {
                update.put(target(), values.value());
            } else {
                operator(update);
            }
        }
        return update;
    }

    private String target() {
        return switch (dice.below(12)) {
            case 0 -> dice.of("n.$.k", "a.$", "n.$[].k", "a.$[]", "n.$[].secret", "n.$[e].k");
            case 1 -> dice.of("n.0.k", "n.1.k", "n.0.secret", "a.1.x", "secret.x", "secret.0", "2024.0", "n.9.k");
            default -> values.path();
        };
    }

    private void operator(BsonDocument update) {
        var target = target();
        switch (dice.below(18)) {
            case 0, 1 -> update.put("$set", document(target, values.value()));
            case 2 -> update.put("$unset", document(target, new BsonInt32(1)));
            case 3, 4 -> update.put("$inc", document(target, values.number()));
            case 5 -> update.put("$mul", document(target, values.number()));
            case 6, 7 -> update.put(dice.of("$min", "$max"), document(target, values.value()));
            case 8 -> update.put("$rename", document(target, new BsonString(values.path())));
            case 9 -> update.put("$setOnInsert", document(target, values.value()));
            case 10 -> update.put("$currentDate", document(target, org.bson.BsonBoolean.TRUE));
            case 11 -> update.put("$addToSet", document(target, values.value()));
            case 12 -> update.put("$pop", document(target, new BsonInt32(dice.of(-1, 1))));
            case 13 -> update.put("$pullAll", document(target, array(values.scalar(), values.scalar())));
            case 14 ->
                update.put(
                        "$pull",
                        document(
                                target,
                                dice.percent(50) ? values.value() : document(dice.of("k", "secret"), values.scalar())));
            case 15 -> update.put("$bit", document(target, document(dice.of("and", "or", "xor"), values.number())));
            case 16 -> update.put("$push", document(target, values.value()));
            default -> update.put("$push", document(target, pushed()));
        }
    }

    private BsonDocument pushed() {
        var each = document("$each", array(values.value()));
        if (dice.percent(40)) {
            each.put("$slice", values.number());
        }
        if (dice.percent(40)) {
            each.put("$sort", dice.percent(50) ? new BsonInt32(1) : document(dice.of("k", "secret"), new BsonInt32(1)));
        }
        if (dice.percent(20)) {
            each.put("$position", values.number());
        }
        return each;
    }

    private BsonArray pipeline() {
        var stages = new BsonArray();
        for (int i = dice.percent(80) ? 1 : 2; i > 0; i--) {
            stages.add(stage());
        }
        return stages;
    }

    private BsonDocument stage() {
        return switch (dice.below(11)) {
            case 0, 1, 2, 3 -> document(dice.of("$set", "$addFields"), document(target(), expressions.expression()));
            case 4 -> document("$unset", new BsonString(values.path()));
            case 5 -> document("$project", document(values.path(), dice.of(new BsonInt32(1), new BsonInt32(0))));
            case 6 -> document("$project", document(values.path(), expressions.expression()));
            case 7 -> document(dice.of("$replaceWith"), expressions.expression());
            case 8 -> document("$replaceRoot", document("newRoot", expressions.expression()));
            case 9 -> document("$set", document("x", expressions.function(values.scalar())));
            default -> document("$set", document("x", expressions.expression()));
        };
    }
}
