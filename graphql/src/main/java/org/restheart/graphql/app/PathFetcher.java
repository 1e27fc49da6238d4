package org.restheart.graphql.app;

import graphql.schema.DataFetchingEnvironment;
import graphql.schema.GraphQLFieldDefinition;
import graphql.schema.LightDataFetcher;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Finds a field in its parent document.
record PathFetcher(ValuePath path, FieldShape shape) implements LightDataFetcher<@Nullable Object> {
    /// For fields without a mapping.
    static final LightDataFetcher<@Nullable Object> NOTHING = new LightDataFetcher<>() {
        @Override
        public @Nullable Object get(
                GraphQLFieldDefinition field, Object source, Supplier<DataFetchingEnvironment> environment) {
            return null;
        }

        @Override
        public @Nullable Object get(DataFetchingEnvironment environment) {
            return null;
        }
    };

    @Override
    public @Nullable Object get(
            GraphQLFieldDefinition field, @Nullable Object source, Supplier<DataFetchingEnvironment> environment) {
        var parent = source instanceof Node node ? node : Node.NOTHING;
        return path.find(parent.value())
                .map(value -> shape.of(value, parent.root()))
                .orElse(null);
    }

    @Override
    public @Nullable Object get(DataFetchingEnvironment environment) {
        return get(environment.getFieldDefinition(), environment.getSource(), () -> environment);
    }
}
