package org.restheart.graphql;

import org.jspecify.annotations.Nullable;
import org.restheart.graphql.app.FieldMapping;
import org.restheart.graphql.app.FieldShape;
import org.restheart.graphql.app.MappingVariables;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// The values of fields that streams are mapped to, in one execution.
@FunctionalInterface
interface SubscriptionRoot {
    /// For requests that are answered once.
    SubscriptionRoot NONE = (_, _, _) -> {
        throw new ProblemException(
                ProblemCode.BAD_REQUEST,
                "subscriptions are answered to 'Accept: text/event-stream', and on a WebSocket");
    };

    /// @throws org.restheart.http.ProblemException why there is no value
    @Nullable
    Object value(FieldMapping.Stream stream, MappingVariables variables, FieldShape shape);
}
