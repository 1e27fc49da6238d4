package org.restheart.security.predicate;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.bson.fields.TouchedPaths;

/// A condition on the content of a request, which is BSON; false of requests to services that take other content.
sealed interface ContentPredicate extends Predicate {
    /// `bson-request-contains`, `-blacklist`, `-whitelist`.
    record Touches(RequestPredicate.Quantity quantity, List<String> keys) implements ContentPredicate {
        @Override
        public boolean test(Attempt attempt) {
            if (!attempt.isForData()) {
                return false;
            }
            var paths = keys.stream().map(attempt::path).collect(Collectors.toSet());
            boolean all = paths.remove(""); // the rule names the whole content
            var named = List.copyOf(paths);
            return switch (quantity) {
                case ALL -> eachHasAll(attempt, named);
                case NONE -> (!all || !attempt.hasDocuments()) && noneHasAny(attempt, named);
                case ONLY -> all || eachHasOnly(attempt, named);
            };
        }

        private static boolean eachHasAll(Attempt attempt, List<String> named) {
            var upserted = attempt.touchedByFilter().toList();
            var documents = attempt.touchedByEach().iterator();
            boolean some = false;
            boolean others = !documents.hasNext() && lacks(upserted, named);
            while (documents.hasNext()) {
                var document = documents.next();
                boolean has = document.hasAll(named);
                some |= has;
                others |= !has
                        && lacks(
                                Stream.concat(Stream.of(document), upserted.stream())
                                        .toList(),
                                named);
            }
            if (some && others) {
                throw new Unanswerable("some documents contain the keys");
            }
            return some;
        }

        /// @throws Unanswerable if each key may be changed
        private static boolean lacks(List<TouchedPaths> touched, List<String> named) {
            if (touched.isEmpty()
                    || named.stream().anyMatch(key -> touched.stream().noneMatch(part -> part.has(key)))) {
                return true;
            }
            throw new Unanswerable("may change the keys");
        }

        private boolean noneHasAny(Attempt attempt, List<String> named) {
            boolean none = Stream.concat(attempt.touched(), attempt.touchedByFilter())
                    .noneMatch(document -> document.hasAny(named) || document.hasAny(keys));
            if (!none
                    && attempt.touchedByEach()
                            .noneMatch(document -> named.stream().anyMatch(key -> document.hasAll(List.of(key))))) {
                throw new Unanswerable("may change a key");
            }
            return none;
        }

        private static boolean eachHasOnly(Attempt attempt, List<String> named) {
            var touched = Stream.concat(attempt.touched(), attempt.touchedByFilter())
                    .filter(document -> !document.hasOnly(named))
                    .toList();
            if (!touched.isEmpty() && touched.stream().allMatch(TouchedPaths::isUnbounded)) {
                throw new Unanswerable("may change anything");
            }
            return touched.isEmpty();
        }
    }

    /// `bson-request-prop-equals`, `bson-request-array-contains`, `bson-request-array-is-subset`.
    record Property(Relation relation, String key, List<Operand.Variable> values) implements ContentPredicate {
        @Override
        public boolean test(Attempt attempt) {
            var actual = attempt.value(key);
            if (actual == null) {
                return false;
            }
            var wanted = new ArrayList<BsonValue>();
            for (var operand : values) {
                var value = operand.value(attempt);
                if (value == null) {
                    return relation == Relation.IS_SUBSET
                            && actual.isArray()
                            && actual.asArray().isEmpty();
                }
                // A variable that is an array stands for its elements where a list is wanted.
                if (relation != Relation.EQUALS && !(operand instanceof Operand.Constant) && value.isArray()) {
                    wanted.addAll(value.asArray());
                } else {
                    wanted.add(value);
                }
            }
            return switch (relation) {
                case EQUALS -> Values.equal(actual, wanted.getFirst()) || foundBy(actual, wanted.getFirst());
                case CONTAINS ->
                    ofElements(actual, elements -> wanted.stream().allMatch(value -> has(elements, value)));
                case IS_SUBSET ->
                    ofElements(actual, elements -> elements.stream().allMatch(value -> has(wanted, value)));
            };
        }

        /// @throws Unanswerable if it is so of a value outside of an array, which MongoDB finds as it finds an element
        private static boolean ofElements(BsonValue actual, java.util.function.Predicate<List<BsonValue>> condition) {
            boolean holds = condition.test(BsonValues.several(actual));
            if (holds && !actual.isArray()) {
                throw new Unanswerable("the value without an array");
            }
            return holds;
        }

        /// @throws Unanswerable if it is, since MongoDB finds an array by each of its elements
        private static boolean foundBy(BsonValue actual, BsonValue wanted) {
            if (actual instanceof BsonArray array && has(array, wanted)) {
                throw new Unanswerable("an array with the value");
            }
            return false;
        }

        private static boolean has(List<BsonValue> values, BsonValue value) {
            return values.stream().anyMatch(other -> Values.equal(other, value));
        }
    }

    enum Relation {
        EQUALS,
        CONTAINS,
        IS_SUBSET
    }
}
