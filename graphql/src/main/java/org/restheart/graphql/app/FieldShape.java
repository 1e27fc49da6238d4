package org.restheart.graphql.app;

import graphql.schema.GraphQLEnumType;
import graphql.schema.GraphQLEnumValueDefinition;
import graphql.schema.GraphQLList;
import graphql.schema.GraphQLNonNull;
import graphql.schema.GraphQLObjectType;
import graphql.schema.GraphQLScalarType;
import graphql.schema.GraphQLType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// Converts stored values to values of a field's type. Immutable.
public sealed interface FieldShape {

    /// @param root the document at the beginning of the path; null if the value itself is that
    @Nullable
    Object of(BsonValue value, @Nullable BsonValue root);

    /// @param loading whether fields of an object type are loaded by queries, which need no value of the object
    static FieldShape of(GraphQLType type, boolean strict, Predicate<GraphQLObjectType> loading) {
        return switch (type) {
            case GraphQLNonNull required -> of(required.getWrappedType(), strict, loading);
            case GraphQLList list -> new Many(of(list.getWrappedType(), strict, loading));
            case GraphQLScalarType scalar -> new Leaf(StandardScalar.of(scalar.getName()), strict);
            case GraphQLEnumType anEnum ->
                new Symbol(anEnum.getValues().stream()
                        .map(GraphQLEnumValueDefinition::getValue)
                        .collect(Collectors.toSet()));
            case GraphQLObjectType object -> new Composite(!loading.test(object));
            default -> new Composite(false);
        };
    }

    /// The value of a field that a query is mapped to.
    default @Nullable Object ofResults(List<RawBsonDocument> documents, @Nullable BsonValue root) {
        return documents.isEmpty() ? null : of(documents.getFirst(), root);
    }

    /// The value of a field whose pipeline has no stages: an empty list, also where no list is declared.
    default Object ofNothing() {
        return List.of();
    }

    /// An object, or one of several.
    ///
    /// @param stored whether all its fields are in the value
    record Composite(boolean stored) implements FieldShape {
        @Override
        public @Nullable Object of(BsonValue value, @Nullable BsonValue root) {
            if (value.isNull()) {
                return null;
            }
            if (stored && !value.isDocument() && !value.isArray()) {
                throw new ProblemException(
                        ProblemCode.BAD_REQUEST,
                        "Can't serialize value : a value of type "
                                + value.getBsonType().name().toLowerCase(Locale.ROOT)
                                + " is not of the field's type, which is an object");
            }
            return new Node(value, root == null ? value : root);
        }
    }

    /// A list of such.
    record Many(FieldShape element) implements FieldShape {
        @Override
        public @Nullable Object of(BsonValue value, @Nullable BsonValue root) {
            if (!value.isArray()) {
                return value.isNull() ? null : value;
            }
            return list(value.asArray(), root);
        }

        @Override
        public Object ofResults(List<RawBsonDocument> documents, @Nullable BsonValue root) {
            return list(documents, root);
        }

        private List<@Nullable Object> list(List<? extends BsonValue> values, @Nullable BsonValue root) {
            var list = new ArrayList<@Nullable Object>(values.size());
            for (var value : values) {
                list.add(element.of(value, root));
            }
            return list;
        }
    }

    /// An enum.
    ///
    /// @param known the values that stand for its names
    record Symbol(Set<Object> known) implements FieldShape {
        @Override
        public @Nullable Object of(BsonValue value, @Nullable BsonValue root) {
            if (value.isNull() || value.getBsonType() == org.bson.BsonType.UNDEFINED) {
                return null;
            }
            return known.contains(value) ? value : new Unknown(value);
        }

        @Override
        public Object ofNothing() {
            return new Unknown(new BsonArray());
        }
    }

    /// A value that stands for no name of an enum. The error of the field contains its text.
    record Unknown(BsonValue value) {
        private static final int MAX_TEXT = 100;

        @Override
        public String toString() {
            var json = JsonEncoder.of(JsonMode.DEFAULT).encodeToString(value);
            return json.length() > MAX_TEXT ? json.substring(0, MAX_TEXT) + "..." : json;
        }
    }

    /// A scalar.
    ///
    /// @param standard null for those that take BSON as it is
    record Leaf(@Nullable StandardScalar standard, boolean strict) implements FieldShape {
        @Override
        public @Nullable Object of(BsonValue value, @Nullable BsonValue root) {
            if (value.isNull() || value.getBsonType() == BsonType.UNDEFINED) {
                return null;
            }
            return standard == null ? value : standard.of(value, strict);
        }

        @Override
        public Object ofNothing() {
            return standard == null ? new BsonArray() : List.of();
        }
    }
}
