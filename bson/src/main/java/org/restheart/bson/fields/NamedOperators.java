package org.restheart.bson.fields;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.fields.Operators.Place;
import org.restheart.text.Nearest;
import org.restheart.text.ShortText;

/// Walks through a query and visits each name that MongoDB would take for a stage, an operator or one of its variables.
/// Names in values, such as operands of `$eq` and `$literal`, are none. Immutable.
///
/// @param visitor is told every name, known or not
public record NamedOperators(Visitor visitor) {
    /// Options of `$geoNear`, `$vectorSearch` and `$graphLookup` that are filters.
    private static final Set<String> FILTERS = Set.of("query", "filter", "restrictSearchWithMatch");

    private static final Set<String> WITH_FILTER = Set.of("$geoNear", "$vectorSearch", "$graphLookup");

    /// Is told the names of a query. May throw.
    @FunctionalInterface
    public interface Visitor {
        /// @param name with its `$`, but that of a variable without
        /// @param at what contains it
        void visit(Place place, String name, Location at);
    }

    /// A name that is [not known][Operators].
    ///
    /// @param meant the one that was probably meant
    public record Unknown(Place place, String name, Location at, Optional<String> meant) {
        private static final int MAX_QUOTED = 100;

        /// As `the unknown operator $gtt at filter.n; did you mean $gt?`.
        @Override
        public String toString() {
            return "the unknown " + (place == Place.STAGE ? "stage " : "operator ") + ShortText.of(name, MAX_QUOTED)
                    + " at " + at
                    + meant.map(near -> "; did you mean " + near + "?").orElse("");
        }
    }

    /// The unknown names of stages and operators.
    ///
    /// @param walk through the queries
    /// @param synonyms names that others have for the same
    public static List<Unknown> unknown(Consumer<NamedOperators> walk, Function<String, Optional<String>> synonyms) {
        var unknown = new ArrayList<Unknown>();
        walk.accept(new NamedOperators((place, name, at) -> {
            var synonym = synonyms.apply(name);
            if (place != Place.VARIABLE
                    && (synonym.isPresent() || !place.known().contains(name))) {
                var signed = name.startsWith("$") ? name : "$" + name;
                unknown.add(new Unknown(place, name, at, synonym.or(() -> Nearest.to(signed, place.known()))));
            }
        }));
        return unknown;
    }

    /// The stages of a pipeline, those of pipelines within stages, and all that is in them.
    public void pipeline(List<? extends BsonValue> stages, Location at) {
        for (int i = 0; i < stages.size(); i++) {
            wholeStage(stages.get(i), at.element(i));
        }
    }

    private void wholeStage(BsonValue stage, Location at) {
        if (stage instanceof BsonDocument members) {
            members.forEach((name, operand) -> {
                visitor.visit(Place.STAGE, name, at);
                stage(name, operand, at.member(name));
            });
        }
    }

    private void stage(String name, BsonValue operand, Location at) {
        if (name.equals("$match")) {
            filter(operand, at);
            return;
        }
        if (Operators.CHOICES.contains(name)) { // the names of variables are texts, which are no stages
            each(operand, at, this::wholeStage);
            return;
        }
        var inner = Stages.pipelines(name, operand);
        if (!inner.isEmpty()) {
            inner.forEach((path, stages) -> pipeline(stages, at.member(path)));
        }
        if (!(operand instanceof BsonDocument options) || isTyped(options)) {
            expression(operand, at);
            return;
        }
        options.forEach((option, value) -> {
            if (WITH_FILTER.contains(name) && FILTERS.contains(option)) {
                filter(value, at.member(option));
            } else if (option.startsWith("$")) {
                operator(option, value, at);
            } else if (inner.keySet().stream().noneMatch(path -> FieldPath.isWithin(path, option))) {
                expression(value, at.member(option));
            }
        });
    }

    /// A filter; anything else has no operators.
    public void filter(BsonValue filter, Location at) {
        if (filter instanceof BsonDocument document) {
            document.forEach((name, value) -> {
                if (name.startsWith("$")) {
                    visitor.visit(Place.QUERY, name, at);
                    ofFilter(name, value, at.member(name));
                } else {
                    condition(value, at.member(name));
                }
            });
        }
    }

    private void ofFilter(String operator, BsonValue operand, Location at) {
        switch (operator) {
            case "$and", "$or", "$nor" -> each(operand, at, this::filter);
            case "$expr" -> expression(operand, at);
            case "$text" -> options(operand, at);
            default -> {} // values
        }
    }

    private interface Step {
        void take(BsonValue value, Location at);
    }

    private static void each(BsonValue array, Location at, Step step) {
        if (array instanceof BsonArray elements) {
            for (int i = 0; i < elements.size(); i++) {
                step.take(elements.get(i), at.element(i));
            }
        }
    }

    /// Operators of places and texts have options, whose names begin with `$` too.
    private void options(BsonValue operand, Location at) {
        if (operand instanceof BsonDocument options) {
            options.keySet().stream()
                    .filter(name -> name.startsWith("$"))
                    .forEach(name -> visitor.visit(Place.QUERY, name, at));
        }
    }

    /// What a field is compared with: MongoDB takes a document for operators by its first name.
    void condition(BsonValue value, Location at) {
        if (!hasOperators(value)) {
            return;
        }
        if (isTyped(value.asDocument())) {
            condition(value.asDocument().values().iterator().next(), at);
            return;
        }
        value.asDocument().forEach((name, operand) -> {
            visitor.visit(Place.QUERY, name, at);
            var inner = at.member(name);
            switch (name) {
                case "$not" -> condition(operand, inner);
                case "$all" -> each(operand, inner, this::condition);
                case "$elemMatch" -> elements(operand, inner);
                case "$geoIntersects", "$geoWithin", "$within", "$near", "$nearSphere" -> options(operand, inner);
                default -> {} // values
            }
        });
    }

    /// A placeholder within a type of Extended JSON, such as `{"$oid": {"$var": "id"}}`: in place of both there will be
    /// a value.
    private static boolean isTyped(BsonDocument document) {
        return document.size() == 1
                && Operators.TYPES.contains(document.getFirstKey())
                && document.get(document.getFirstKey()) instanceof BsonDocument inner
                && inner.size() == 1
                && Operators.PLACEHOLDERS.contains(inner.getFirstKey());
    }

    private void elements(BsonValue operand, Location at) {
        if (hasOperators(operand)
                && !Operators.TOP_OF_FILTER.contains(operand.asDocument().getFirstKey())) {
            condition(operand, at);
        } else {
            filter(operand, at);
        }
    }

    private static boolean hasOperators(BsonValue value) {
        return value instanceof BsonDocument document
                && !document.isEmpty()
                && document.getFirstKey().startsWith("$");
    }

    /// An expression, or documents and arrays of expressions.
    public void expression(BsonValue value, Location at) {
        switch (value) {
            case BsonString text -> variable(text.getValue(), at);
            case BsonArray _ -> each(value, at, this::expression);
            case BsonDocument typed
            when isTyped(typed) -> expression(typed.values().iterator().next(), at);
            case BsonDocument document ->
                document.forEach((name, operand) -> {
                    if (name.startsWith("$")) {
                        operator(name, operand, at);
                    } else {
                        expression(operand, at.member(name));
                    }
                });
            default -> {}
        }
    }

    private void operator(String name, BsonValue operand, Location at) {
        visitor.visit(Place.EXPRESSION, name, at);
        if (!name.equals("$literal") && !name.equals("$const")) {
            expression(operand, at.member(name));
        }
    }

    /// Names of variables of clients begin with a small letter.
    private void variable(String text, Location at) {
        if (text.startsWith("$$") && text.length() > 2 && Character.isUpperCase(text.charAt(2))) {
            int dot = text.indexOf('.');
            visitor.visit(Place.VARIABLE, text.substring(2, dot < 0 ? text.length() : dot), at);
        }
    }

    /// The projection of a query, of which a value may be `{$elemMatch: filter}`; or its sort, or a hint.
    public void projection(BsonDocument projection, Location at) {
        projection.forEach((field, value) -> {
            if (field.startsWith("$")) {
                visitor.visit(field.equals("$natural") ? Place.QUERY : Place.EXPRESSION, field, at);
            }
            if (value instanceof BsonDocument document && document.get("$elemMatch") instanceof BsonDocument elements) {
                visitor.visit(Place.EXPRESSION, "$elemMatch", at.member(field));
                elements(elements, at.member(field));
            } else {
                expression(value, at.member(field));
            }
        });
    }

    /// An update. Of operators only `$pull` evaluates a filter.
    public void update(Update update, Location at) {
        switch (update) {
            case Update.Pipeline(var stages) -> pipeline(stages, at);
            case Update.Operators(var operators, var arrayFilters) -> {
                arrayFilters.forEach(filter -> filter(filter, at));
                operators.forEach((name, operand) -> {
                    visitor.visit(Place.UPDATE, name, at);
                    if (operand instanceof BsonDocument fields) {
                        fields.forEach((field, change) ->
                                change(name, change, at.member(name).member(field)));
                    }
                });
            }
        }
    }

    private void change(String operator, BsonValue change, Location at) {
        switch (operator) {
            case "$pull" -> elements(change, at);
            case "$push", "$addToSet", "$currentDate" -> {
                if (change instanceof BsonDocument document
                        && (operator.equals("$currentDate") || document.containsKey("$each"))) {
                    change.asDocument().keySet().forEach(name -> visitor.visit(Place.UPDATE, name, at));
                }
            }
            default -> {} // values
        }
    }
}
