package org.restheart.openapi;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;
import static org.restheart.openapi.Json.list;
import static org.restheart.openapi.Json.members;
import static org.restheart.openapi.Json.type;

import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.restheart.http.Method;
import org.restheart.http.StatusText;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.parameter.Use;
import org.restheart.openapi.DataOperation.Input;
import org.restheart.openapi.DataOperation.Output;
import org.restheart.openapi.VisibleResources.Offered;

/// Writes request bodies and responses of operations, by media type. Confined to one document.
final class MessageWriter {
    private static final String FORM = "application/x-www-form-urlencoded";

    /// Writes without content have the new tag.
    private static final Set<Output> HAVE_TAGS =
            EnumSet.of(Output.NONE, Output.DOCUMENTS, Output.DOCUMENT, Output.PROPERTIES, Output.BULK, Output.BYTES);

    private final Components components;
    private final Map<String, BsonDocument> responses = new TreeMap<>();

    MessageWriter(Components components) {
        this.components = components;
    }

    /// Responses that several operations share, by name.
    Map<String, BsonDocument> shared() {
        return responses;
    }

    /// The request body; empty for an operation without one.
    Optional<BsonDocument> body(Offered offered, DocumentSchemas schemas) {
        var input = offered.operation().input();
        if (input == Input.NONE) {
            return Optional.empty();
        }
        var content = switch (input) {
            case DOCUMENTS -> {
                var one = schemas.written().created(offered);
                yield json(object("anyOf", array(one, schemas.written().manyCreated(offered))))
                        .append("application/x-ndjson", text("one document per line"))
                        .append("application/bson", new BsonDocument())
                        .append("text/csv", text("one document per record"));
                // Not FORM: openapi-python-client cannot distinguish lists from it.
            }
            case DOCUMENT -> json(schemas.written().created(offered)).append(FORM, form());
            case CHANGES -> json(schemas.written().changed(offered)).append(FORM, form());
            case METADATA, PROPERTIES -> json(components.fixed("Properties"));
            case VALIDATOR -> json(components.fixed("ValidatorOptions"));
            case INDEX -> json(components.fixed("IndexDefinition"));
            case SCHEMA -> json(components.fixed("JsonSchema"));
            case PIPELINE -> json(components.fixed("Pipeline"));
            case FILE -> {
                var bytes = object("type", "string", "contentMediaType", "application/octet-stream");
                yield Json.content(
                        "multipart/form-data", members(object("file", bytes, "metadata", type("object")), "file"));
            }
            case NONE -> new BsonDocument();
        };
        return Optional.of(object("required", true, "content", content));
    }

    private BsonDocument form() {
        return object("schema", components.fixed("Form"));
    }

    private static BsonDocument json(BsonDocument schema) {
        return Json.content("application/json", schema);
    }

    /// @param definition of a stored aggregation or stream
    BsonDocument responses(Offered offered, DocumentSchemas schemas, Optional<BsonDocument> definition) {
        var operation = offered.operation();
        var all = new TreeMap<String, BsonDocument>();
        for (int status : operation.statuses()) {
            all.put("" + status, success(offered, status, schemas, definition));
        }
        for (int status : Failures.of(operation)) {
            var component = Failures.component(operation, status);
            responses.computeIfAbsent(component, _ -> Failures.response(operation, status, components));
            all.put("" + status, Json.reference("responses", component));
        }
        var document = new BsonDocument();
        all.forEach(document::append);
        return document;
    }

    private BsonDocument success(
            Offered offered, int status, DocumentSchemas schemas, Optional<BsonDocument> definition) {
        var operation = offered.operation();
        var response = object("description", StatusText.of(status));
        var headers = new BsonDocument();
        if (status == 201 && operation.method() == Method.POST) {
            headers.append("Location", header("where it is"));
        }
        if (HAVE_TAGS.contains(operation.output()) && status != 204 && status != 207 && status < 400) {
            headers.append("ETag", header("the version"));
        }
        if (status == 200 && operation.use() == Use.LIST) {
            headers.append("Link", header("the next page, as `rel=\"next\"`"))
                    .append("X-Count-Strategy", header("whether the count asked for is `exact` or `estimated`"))
                    .append("X-Total-Count", object("description", "the count asked for", "schema", type("integer")));
        }
        if (!headers.isEmpty()) {
            response.append("headers", headers);
        }
        if (status == 201 && operation.input() == Input.DOCUMENTS) {
            var links = schemas.written().links();
            if (!links.isEmpty()) {
                response.append("links", links);
            }
        }
        var content = status == 200 || status == 206 || status == 207
                ? content(offered, schemas, definition)
                : new BsonDocument();
        if (!content.isEmpty()) {
            response.append("content", content);
        }
        return response;
    }

    private static BsonDocument exported(BsonDocument content) {
        return content.append("application/x-ndjson", object("schema", type("string")))
                .append("text/csv", object("schema", type("string")))
                .append("application/bson", new BsonDocument());
    }

    private static BsonDocument header(String description) {
        return object("description", description, "schema", type("string"));
    }

    private static BsonDocument text(String description) {
        return object("schema", object("type", "string", "description", description));
    }

    /// As JSON or as HAL, which is not described.
    private static BsonDocument hal(BsonDocument schema) {
        return json(schema).append("application/hal+json", object("schema", object()));
    }

    private BsonDocument content(Offered offered, DocumentSchemas schemas, Optional<BsonDocument> definition) {
        var operation = offered.operation();
        return switch (operation.output()) {
            case NONE -> new BsonDocument();
            case DOCUMENTS -> {
                var content = hal(list(schemas.stored()));
                yield operation.kind() == ResourceKind.COLLECTION ? exported(content) : content;
            }
            case DOCUMENT -> {
                var content = hal(schemas.stored());
                yield operation.kind() == ResourceKind.DOCUMENT ? exported(content) : content;
            }
            case SIZE -> json(components.fixed("Size"));
            case NAMES -> hal(list(type("string")));
            case INDEXES -> hal(list(components.fixed("Index")));
            case PROPERTIES -> json(components.fixed("Properties"));
            case BULK -> hal(components.fixed("BulkResult"));
            case RESULTS ->
                hal(list(definition
                        .flatMap(found -> schemas.results(offered, found))
                        .orElseGet(() -> type("object"))));
            case EVENTS -> {
                var event = ComponentNames.inner(schemas.name(), "event");
                components.fixed("ChangeEvent");
                components.put(event, schemas.event());
                yield object("text/event-stream", text("events; the data of each is a " + event));
            }
            case BYTES -> object("application/octet-stream", new BsonDocument());
            case STATE -> json(type("object"));
        };
    }
}
