package org.restheart.core.tracing;

import com.mongodb.MongoException;
import com.mongodb.event.CommandFailedEvent;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import com.mongodb.event.CommandSucceededEvent;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.restheart.http.SecretValues;
import org.restheart.http.trace.TraceScope;

/// A span for each MongoDB command that is sent for a traced request: its name and where it goes, nothing of its
/// content. The driver calls it on the thread that sends the command. Thread-safe.
final class CommandSpans implements CommandListener {

    private final Map<Integer, Sent> sent = new ConcurrentHashMap<>();

    private record Sent(RecordedSpan parent, Span span) {}

    @Override
    public void commandStarted(CommandStartedEvent event) {
        if (!(TraceScope.current() instanceof RecordedSpan parent)) {
            return;
        }
        var name = event.getCommandName();
        var collection = collection(name, event.getCommand()).map(SecretValues::masked); // named by a path
        var server = event.getConnectionDescription().getServerAddress();
        var builder = parent.part(collection.map(c -> name + " " + c).orElse(name), System.nanoTime())
                .setSpanKind(SpanKind.CLIENT)
                .setAttribute("db.system.name", "mongodb")
                .setAttribute("db.namespace", SecretValues.masked(event.getDatabaseName()))
                .setAttribute("db.operation.name", name)
                .setAttribute("server.address", server.getHost())
                .setAttribute("server.port", (long) server.getPort());
        collection.ifPresent(c -> builder.setAttribute("db.collection.name", c));
        sent.put(event.getRequestId(), new Sent(parent, builder.startSpan()));
    }

    /// The value of the command's own key, but of those that name something else or nothing.
    private static Optional<String> collection(String name, BsonDocument command) {
        var named = command.get(name.equals("getMore") ? "collection" : name);
        return named != null && named.isString() ? Optional.of(named.asString().getValue()) : Optional.empty();
    }

    @Override
    public void commandSucceeded(CommandSucceededEvent event) {
        end(event.getRequestId(), _ -> {});
    }

    @Override
    public void commandFailed(CommandFailedEvent event) {
        end(event.getRequestId(), span -> {
            var cause = event.getThrowable();
            span.setStatus(StatusCode.ERROR)
                    .setAttribute("error.type", cause.getClass().getSimpleName()); // its message may quote documents
            if (cause instanceof MongoException failure) {
                span.setAttribute("db.response.status_code", Integer.toString(failure.getCode()));
            }
        });
    }

    private void end(int request, Consumer<Span> more) {
        var command = sent.remove(request);
        if (command != null) {
            more.accept(command.span());
            command.parent().end(command.span(), System.nanoTime());
        }
    }
}
