package org.restheart.openapi;

import static org.restheart.openapi.Json.array;
import static org.restheart.openapi.Json.object;
import static org.restheart.openapi.Json.type;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonMode;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.RuleAnswer;
import org.restheart.openapi.OpenApiConfig.Server;
import org.restheart.openapi.Operations.Input;
import org.restheart.openapi.Operations.Operation;
import org.restheart.openapi.Operations.Output;
import org.restheart.openapi.Visible.Group;
import org.restheart.openapi.Visible.Offered;

/// Writes one document. Its order is fixed: equal values give equal bytes. Confined to one document.
final class DescriptionWriter {
    private static final int MAX_ENUM = 5_000;
    private static final String DEPENDS = "An access rule decides per request.";

    private final OpenApiConfig config;
    private final Server server;
    private final Heading heading;
    private static final String SCHEMAS = "#/components/schemas/";

    private final Components components;
    private final ShapeSchemas shapes;
    private final ParameterSchemas parameters;
    private final Map<String, BsonDocument> responses = new TreeMap<>();
    private final Map<String, BsonDocument> paths = new TreeMap<>();
    private final Set<String> tags = new TreeSet<>();
    private final List<BsonDocument> describedTags = new ArrayList<>();

    /// What the document says of itself.
    ///
    /// @param scope the path that it is about
    /// @param account empty for anonymous callers
    /// @param securitySchemes how callers say who they are
    record Heading(String scope, Optional<String> account, String url, JsonMode mode, BsonDocument securitySchemes) {}

    DescriptionWriter(OpenApiConfig config, Server server, Heading heading) {
        this.config = config;
        this.server = server;
        this.heading = heading;
        this.components = new Components(heading.mode());
        this.shapes = new ShapeSchemas(components, config.shares());
        this.parameters = new ParameterSchemas(server, heading.mode());
    }

    /// @param generic whether collections are not described one by one
    BsonDocument write(Visible visible, List<ServiceOperations.Offer> services, boolean generic) {
        if (generic) {
            generic(visible);
        } else {
            visible.groups().forEach(this::group);
        }
        services.forEach(this::service);
        var document = object(
                "openapi",
                "3.1.0",
                "info",
                info(visible, generic),
                "jsonSchemaDialect",
                "https://json-schema.org/draft/2020-12/schema",
                "servers",
                array(object("url", heading.url())),
                "security",
                security());
        document.append("tags", Json.value(describedTags));
        var all = new BsonDocument();
        paths.forEach(all::append);
        document.append("paths", all).append("components", components(all));
        return (BsonDocument) withoutDanglingReferences(document);
    }

    private BsonDocument info(Visible visible, boolean generic) {
        var info = object(
                "title",
                server.title(),
                "version",
                server.version(),
                "description",
                "What "
                        + heading.account()
                                .map(name -> "the account " + Json.prose(name))
                                .orElse("everybody") + " may do with " + Json.prose(heading.scope()));
        if (visible.pending()) {
            info.append("x-pending", Json.value(true));
        }
        if (generic) {
            info.append(
                    "x-scopes",
                    Json.value(visible.groups().stream()
                            .filter(group -> group.collection().isPresent())
                            .limit(MAX_ENUM)
                            .map(group -> config.uri() + group.path().raw())
                            .toList()));
        }
        return info;
    }

    private BsonArray security() {
        var alternatives = new BsonArray();
        heading.securitySchemes().keySet().forEach(name -> alternatives.add(object(name, array())));
        return alternatives;
    }

    private BsonDocument components(BsonDocument all) {
        var document = new BsonDocument();
        section(document, "parameters", parameters.shared());
        section(document, "responses", responses);
        document.append("securitySchemes", heading.securitySchemes());
        var used = new TreeMap<String, BsonDocument>();
        collect(all, used);
        collect(document, used);
        section(document, "schemas", used);
        return document;
    }

    /// What is referred to: a declared schema may define more, such as what only a hidden property is made of.
    private void collect(BsonValue value, Map<String, BsonDocument> used) {
        if (value instanceof BsonDocument document) {
            if (document.get("$ref") instanceof BsonString reference
                    && reference.getValue().startsWith(SCHEMAS)) {
                var name = reference.getValue().substring(SCHEMAS.length());
                var schema = components.schemas().get(name);
                if (schema != null && used.putIfAbsent(name, schema) == null) {
                    collect(schema, used);
                }
            }
            document.values().forEach(inner -> collect(inner, used));
        } else if (value instanceof BsonArray array) {
            array.forEach(inner -> collect(inner, used));
        }
    }

    private static void section(BsonDocument document, String name, Map<String, BsonDocument> of) {
        var section = new BsonDocument();
        of.forEach(section::append);
        document.append(name, section);
    }

    /// A declared schema may refer to what it does not define.
    private BsonValue withoutDanglingReferences(BsonValue value) {
        return switch (value) {
            case BsonDocument document -> {
                if (document.get("$ref") instanceof BsonString reference
                        && reference.getValue().startsWith(SCHEMAS)
                        && !components.has(reference.getValue().substring(SCHEMAS.length()))) {
                    yield new BsonDocument();
                }
                document.replaceAll((_, inner) -> withoutDanglingReferences(inner));
                yield document;
            }
            case BsonArray array -> {
                array.replaceAll(this::withoutDanglingReferences);
                yield array;
            }
            default -> value;
        };
    }

    private void tag(String name, Optional<String> description) {
        if (tags.add(name)) {
            var tag = object("name", name);
            description.ifPresent(text -> tag.append("description", new BsonString(Json.prose(text))));
            describedTags.add(tag);
        }
    }

    private void group(Group group) {
        var name = Names.of(group.path().segments());
        var tag = group.path().decoded();
        tag(tag, group.collection().flatMap(structure -> text(structure.properties(), "descr", "description")));
        var schemas = new DocumentSchemas(components, shapes, group, name);
        for (var offered : group.offered()) {
            var id = offered.operation().verb()
                    + name
                    + (offered.name().isEmpty() ? "" : Names.of(List.of(offered.name())))
                    + offered.operation().suffix();
            var written = operation(offered, id, tag, schemas, Optional.of(group));
            paths.computeIfAbsent(offered.path(), DescriptionWriter::path)
                    .append(offered.operation().method().name().toLowerCase(java.util.Locale.ROOT), written);
        }
    }

    /// A path with its variables.
    private static BsonDocument path(String path) {
        var parameters = new BsonArray();
        for (var segment : path.split("/", -1)) {
            if (segment.startsWith("{") && segment.endsWith("}")) {
                var name = segment.substring(1, segment.length() - 1);
                parameters.add(
                        object("name", name, "in", "path", "required", true, "schema", ParameterSchemas.ofPath(name)));
            }
        }
        return parameters.isEmpty() ? new BsonDocument() : object("parameters", parameters);
    }

    static Optional<String> text(BsonDocument properties, String... names) {
        for (var name : names) {
            if (properties.get(name) instanceof BsonString text
                    && !text.getValue().isEmpty()) {
                return Optional.of(text.getValue());
            }
        }
        return Optional.empty();
    }

    private BsonDocument operation(
            Offered offered, String id, String tag, DocumentSchemas schemas, Optional<Group> group) {
        var operation = offered.operation();
        var written = object("tags", array(tag), "operationId", id, "summary", operation.summary());
        var texts = new ArrayList<String>();
        if (operation.output() == Output.DOCUMENTS
                && offered.permitted().possible().stream()
                        .anyMatch(rule -> rule.grant().readFilter().isPresent())) {
            texts.add("Limited by an access rule.");
        }
        if (offered.depends()) {
            texts.add(DEPENDS);
        }
        if (!texts.isEmpty()) {
            written.append("description", new BsonString(String.join(" ", texts)));
        }
        var definition = group.flatMap(Group::collection)
                .flatMap(structure -> Optional.ofNullable(Evaluation.definitions(
                                structure, operation.kind() == ResourceKind.AGGREGATION ? "aggrs" : "streams")
                        .get(offered.name())));
        var variables = definition.map(StoredVariables::of);
        var sent = parameters.of(offered, group, variables);
        if (!sent.isEmpty()) {
            written.append("parameters", sent);
        }
        variables.filter(found -> !found.isEmpty()).ifPresent(found -> written.append("x-variables", found.schema()));
        body(offered, schemas).ifPresent(body -> written.append("requestBody", body));
        written.append("responses", responses(offered, schemas));
        if (operation.kind() == ResourceKind.CHANGE_STREAM) {
            written.append("x-websocket", Json.value(true));
        }
        if (offered.anonymous()) {
            var security = array(object());
            security.addAll(security());
            written.append("security", security);
        }
        return written;
    }

    private Optional<BsonDocument> body(Offered offered, DocumentSchemas schemas) {
        var input = offered.operation().input();
        if (input == Input.NONE) {
            return Optional.empty();
        }
        var content = switch (input) {
            case DOCUMENTS -> {
                var one = schemas.created(offered);
                yield object(
                        "application/json",
                        object("schema", object("anyOf", array(one, object("type", "array", "items", one)))),
                        "application/x-ndjson",
                        object("schema", object("type", "string", "description", "one document per line")));
            }
            case DOCUMENT -> json(schemas.created(offered));
            case CHANGES -> json(schemas.changed(offered));
            case METADATA, PROPERTIES -> json(components.fixed("Properties"));
            case INDEX -> json(components.fixed("IndexDefinition"));
            case SCHEMA -> json(components.fixed("JsonSchema"));
            case PIPELINE -> json(components.fixed("Pipeline"));
            case FILE ->
                object(
                        "multipart/form-data",
                        object(
                                "schema",
                                object(
                                        "type",
                                        "object",
                                        "properties",
                                        object(
                                                "file",
                                                object(
                                                        "type",
                                                        "string",
                                                        "contentMediaType",
                                                        "application/octet-stream"),
                                                "metadata",
                                                object("type", "object")),
                                        "required",
                                        array("file"))));
            case NONE -> new BsonDocument();
        };
        return Optional.of(object("required", true, "content", content));
    }

    private static BsonDocument json(BsonDocument schema) {
        return object("application/json", object("schema", schema));
    }

    private BsonDocument responses(Offered offered, DocumentSchemas schemas) {
        var operation = offered.operation();
        var all = new TreeMap<String, BsonDocument>();
        for (int status : operation.statuses()) {
            all.put("" + status, success(operation, status, schemas));
        }
        for (int status : Failures.of(operation)) {
            var component = "Status" + status;
            responses.computeIfAbsent(component, _ -> Failures.response(status, components));
            all.put("" + status, Json.reference("responses", component));
        }
        var document = new BsonDocument();
        all.forEach(document::append);
        return document;
    }

    private BsonDocument success(Operation operation, int status, DocumentSchemas schemas) {
        var response = object("description", Failures.text(status));
        var headers = new BsonDocument();
        if (status == 201 && operation.method() == org.restheart.http.Method.POST) {
            headers.append("Location", object("description", "where it is", "schema", type("string")));
        }
        if (operation.output() != Output.SIZE
                && operation.output() != Output.NAMES
                && operation.output() != Output.RESULTS
                && operation.output() != Output.EVENTS
                && status != 204
                && status < 400) {
            headers.append("ETag", object("description", "the version", "schema", type("string")));
        }
        if (!headers.isEmpty()) {
            response.append("headers", headers);
        }
        var content = status == 200 || status == 206 ? content(operation, schemas) : new BsonDocument();
        if (!content.isEmpty()) {
            response.append("content", content);
        }
        return response;
    }

    private BsonDocument content(Operation operation, DocumentSchemas schemas) {
        return switch (operation.output()) {
            case NONE -> new BsonDocument();
            case DOCUMENTS -> {
                var content = json(object("type", "array", "items", schemas.stored()));
                content.append("application/hal+json", object("schema", object()));
                if (operation.kind() == ResourceKind.COLLECTION) {
                    content.append("application/x-ndjson", object("schema", type("string")))
                            .append("text/csv", object("schema", type("string")))
                            .append("application/bson", new BsonDocument());
                }
                yield content;
            }
            case DOCUMENT -> json(schemas.stored()).append("application/hal+json", object("schema", object()));
            case SIZE -> json(components.fixed("Size"));
            case NAMES ->
                json(object("type", "array", "items", type("string")))
                        .append("application/hal+json", object("schema", object()));
            case INDEXES ->
                json(object("type", "array", "items", components.fixed("Index")))
                        .append("application/hal+json", object("schema", object()));
            case PROPERTIES -> json(components.fixed("Properties"));
            case BULK -> json(components.fixed("BulkResult"));
            case RESULTS ->
                json(object("type", "array", "items", type("object")))
                        .append("application/hal+json", object("schema", object()));
            case EVENTS -> {
                var event = Names.inner(schemas.name(), "event");
                components.fixed("ChangeEvent");
                components.put(event, schemas.event());
                yield object(
                        "text/event-stream",
                        object(
                                "schema",
                                object("type", "string", "description", "events; the data of each is a " + event)));
            }
            case BYTES -> object("application/octet-stream", new BsonDocument());
            case STATE -> json(type("object"));
        };
    }

    private void service(ServiceOperations.Offer offer) {
        tag("services", Optional.empty());
        var operation =
                object("tags", array("services"), "operationId", offer.operationId(), "summary", offer.summary());
        if (offer.depends()) {
            operation.append("description", new BsonString(DEPENDS));
        }
        operation.append("responses", offer.responses());
        if (offer.anonymous()) {
            var security = array(object());
            security.addAll(security());
            operation.append("security", security);
        }
        paths.computeIfAbsent(offer.path(), DescriptionWriter::path).append(offer.method(), operation);
    }

    /// One path for all collections of a place, whose names are values of a variable.
    private void generic(Visible visible) {
        record Place(List<String> prefix, ResourceKind kind) {}
        var places = new LinkedHashMap<Place, List<Group>>();
        for (var group : visible.groups()) {
            var segments = group.path().segments();
            if (group.collection().isEmpty() || segments.isEmpty()) {
                group(group);
            } else {
                places.computeIfAbsent(
                                new Place(
                                        segments.subList(0, segments.size() - 1),
                                        group.collection().get().kind()),
                                _ -> new ArrayList<>())
                        .add(group);
            }
        }
        places.forEach((place, groups) -> {
            var what = switch (place.kind()) {
                case FILES_BUCKET -> "Bucket";
                case SCHEMA_STORE -> "SchemaStore";
                default -> "Collection";
            };
            var variable = what.substring(0, 1).toLowerCase(java.util.Locale.ROOT) + what.substring(1);
            var name = (place.prefix().isEmpty() ? "" : Names.of(place.prefix())) + "Any" + what;
            tag(name, Optional.empty());
            var names = new LinkedHashSet<String>();
            groups.forEach(group -> names.add(group.path().segments().getLast()));
            var schemas = new DocumentSchemas(components, shapes, Visible.OPEN, name);
            var seen = new HashSet<String>();
            for (var group : groups) {
                var base = group.path().raw();
                var prefix = base.substring(0, base.lastIndexOf('/'));
                for (var offered : group.offered()) {
                    if (!offered.name().isEmpty()) {
                        continue; // stored aggregations and streams are in the documents of their collections
                    }
                    var path = prefix + "/{" + variable + "}" + offered.path().substring(base.length());
                    var method = offered.operation().method().name().toLowerCase(java.util.Locale.ROOT);
                    if (seen.add(method + path)) {
                        var id = offered.operation().verb()
                                + name
                                + offered.operation().suffix();
                        var item = paths.computeIfAbsent(path, DescriptionWriter::path);
                        enumerate(item, variable, names);
                        item.append(method, operation(offered, id, name, schemas, Optional.empty()));
                    }
                }
            }
        });
    }

    private static void enumerate(BsonDocument item, String variable, Set<String> names) {
        for (var parameter : item.getArray("parameters")) {
            if (new BsonString(variable).equals(parameter.asDocument().get("name")) && names.size() <= MAX_ENUM) {
                parameter.asDocument().append("schema", object("type", "string", "enum", Json.value(names)));
            }
        }
    }

    /// What every rule that may decide says, together: a property that one of them allows is there.
    static Optional<Set<String>> together(
            List<RuleAnswer> rules,
            java.util.function.Function<RuleAnswer, Optional<? extends java.util.Collection<String>>> of) {
        var all = new LinkedHashSet<String>();
        for (var rule : rules) {
            var some = of.apply(rule);
            if (some.isEmpty()) {
                return Optional.empty();
            }
            all.addAll(some.get());
        }
        return Optional.of(all);
    }
}
