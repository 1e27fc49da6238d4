package org.restheart.core.tracing;

import com.mongodb.MongoException;
import com.mongodb.event.CommandStartedEvent;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import org.jspecify.annotations.Nullable;
import org.restheart.http.SecretValues;
import org.restheart.http.trace.TraceScope.TraceSpan;

/// The span of a MongoDB command that is sent for a traced request: its name and where it goes, nothing of its content.
/// Thread-safe.
public final class CommandSpan {
    private final RecordedSpan parent;
    private final Span span;

    private CommandSpan(RecordedSpan parent, Span span) {
        this.parent = parent;
        this.span = span;
    }

    /// @param request the span of the request; null for a request that is not traced, or none
    /// @param collection empty for commands that name none
    public static @Nullable CommandSpan begin(
            @Nullable TraceSpan request, CommandStartedEvent event, String collection) {
        var parent = ServerTiming.recorded(request);
        if (parent == null) {
            return null;
        }
        var name = event.getCommandName();
        var named = SecretValues.masked(collection); // by a path
        var server = event.getConnectionDescription().getServerAddress();
        var builder = parent.part(named.isEmpty() ? name : name + " " + named, System.nanoTime())
                .setSpanKind(SpanKind.CLIENT)
                .setAttribute("db.system.name", "mongodb")
                .setAttribute("db.namespace", SecretValues.masked(event.getDatabaseName()))
                .setAttribute("db.operation.name", name)
                .setAttribute("server.address", server.getHost())
                .setAttribute("server.port", (long) server.getPort());
        if (!named.isEmpty()) {
            builder.setAttribute("db.collection.name", named);
        }
        return new CommandSpan(parent, builder.startSpan());
    }

    public void end(@Nullable Throwable failure) {
        if (failure != null) { // its message may quote documents
            span.setStatus(StatusCode.ERROR)
                    .setAttribute("error.type", failure.getClass().getSimpleName());
        }
        if (failure instanceof MongoException refused) {
            span.setAttribute("db.response.status_code", Integer.toString(refused.getCode()));
        }
        parent.end(span, System.nanoTime());
    }
}
