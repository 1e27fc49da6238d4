package org.restheart.openapi;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;
import static org.restheart.openapi.Json.content;
import static org.restheart.openapi.Json.list;
import static org.restheart.openapi.Json.members;
import static org.restheart.openapi.Json.type;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonMode;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Write;
import org.restheart.http.Method;
import org.restheart.http.ProblemCode;
import org.restheart.http.StatusText;
import org.restheart.http.access.ResourceKind;
import org.restheart.openapi.DataOperation.Input;
import org.restheart.openapi.DataOperation.Output;
import org.restheart.openapi.OpenApiConfig.Server;
import org.restheart.openapi.VisibleResources.Group;
import org.restheart.openapi.VisibleResources.Offered;

/// Writes an OpenAPI document in a fixed order: equal values give equal bytes. Confined to one document.
final class DescriptionWriter {
    private static final int MAX_ENUM = 5_000;
    private static final String DEPENDS = "An access rule decides per request.";

    private static final String SCHEMAS = "#/components/schemas/";

    private final OpenApiConfig config;
    private final Server server;
    private final DocumentMetadata metadata;
    private final Components components;
    private final ShapeSchemas shapes;
    private final ParameterSchemas parameters;
    private final MessageWriter messages;
    private final Map<String, BsonDocument> paths = new TreeMap<>();
    private final Set<String> tags = new TreeSet<>();
    private final List<BsonDocument> describedTags = new ArrayList<>();

    /// @param scope the path that it describes
    /// @param account empty for anonymous callers
    record DocumentMetadata(
            String scope, Optional<String> account, String url, JsonMode mode, BsonDocument securitySchemes) {}

    DescriptionWriter(OpenApiConfig config, Server server, DocumentMetadata metadata) {
        this.config = config;
        this.server = server;
        this.metadata = metadata;
        this.components = new Components(metadata.mode());
        this.messages = new MessageWriter(components);
        this.shapes = new ShapeSchemas(components, config.shares());
        this.parameters = new ParameterSchemas(server, metadata.mode());
    }

    /// @param generic whether collections are described by one path with a variable
    BsonDocument write(VisibleResources visible, List<ServiceOperations.Offer> services, boolean generic) {
        if (generic) {
            generic(visible);
        } else {
            visible.groups().forEach(this::group);
        }
        services.forEach(this::service);
        var document = object("openapi", "3.1.0")
                .append("info", info(visible, generic))
                .append("jsonSchemaDialect", BsonValues.value("https://json-schema.org/draft/2020-12/schema"))
                .append("servers", array(object("url", metadata.url())))
                .append("security", security())
                .append("tags", BsonValues.value(describedTags));
        var all = new BsonDocument();
        paths.forEach(all::append);
        document.append("paths", all).append("components", components(all));
        return (BsonDocument) withoutDanglingReferences(document);
    }

    private BsonDocument info(VisibleResources visible, boolean generic) {
        var who = metadata.account()
                .map(name -> "the account " + Json.prose(name))
                .orElse("everybody");
        var info = object("title", server.title(), "version", server.version())
                .append(
                        "description",
                        BsonValues.value("What " + who + " may do with " + Json.prose(metadata.scope())));
        if (visible.pending()) {
            info.append("x-pending", BsonValues.value(true));
        }
        if (generic) {
            info.append(
                    "x-scopes",
                    BsonValues.value(visible.groups().stream()
                            .filter(group -> group.collection().isPresent())
                            .limit(MAX_ENUM)
                            .map(group -> config.uri() + group.path().raw())
                            .toList()));
        }
        return info;
    }

    private BsonArray security() {
        var alternatives = new BsonArray();
        metadata.securitySchemes().keySet().forEach(name -> alternatives.add(object(name, array())));
        return alternatives;
    }

    /// The mechanisms, or none.
    private BsonArray optionalSecurity() {
        var alternatives = array(object());
        alternatives.addAll(security());
        return alternatives;
    }

    private BsonDocument components(BsonDocument all) {
        var document = new BsonDocument();
        section(document, "parameters", parameters.shared());
        section(document, "responses", messages.shared());
        document.append("headers", SharedHeaders.all()).append("securitySchemes", metadata.securitySchemes());
        var used = new TreeMap<String, BsonDocument>();
        collect(all, used);
        collect(document, used);
        section(document, "schemas", used);
        return document;
    }

    /// Collects the referenced schemas: a declared schema may define more, such as types of hidden
    /// properties.
    private void collect(BsonValue value, Map<String, BsonDocument> used) {
        if (value instanceof BsonDocument document
                && document.get("$ref") instanceof BsonString reference
                && reference.getValue().startsWith(SCHEMAS)) {
            var name = reference.getValue().substring(SCHEMAS.length());
            var schema = components.schemas().get(name);
            if (schema != null && used.putIfAbsent(name, schema) == null) {
                collect(schema, used);
            }
        }
        BsonValues.within(value).forEach(inner -> collect(inner, used));
    }

    private static void section(BsonDocument document, String name, Map<String, BsonDocument> of) {
        var section = new BsonDocument();
        of.forEach(section::append);
        document.append(name, section);
    }

    /// Removes references of declared schemas to undefined components.
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
        var name = ComponentNames.of(group.path().segments());
        var shown = group.collection()
                .filter(structure -> structure.properties().get("openapi") instanceof BsonDocument)
                .map(structure -> structure.properties().getDocument("openapi"))
                .orElseGet(BsonDocument::new);
        var tag = text(shown, "tag").orElseGet(() -> group.path().decoded());
        tag(
                tag,
                text(shown, "summary")
                        .or(() -> group.collection()
                                .flatMap(structure -> text(structure.properties(), "descr", "description"))));
        var schemas = new DocumentSchemas(components, shapes, group, name, secrets(group));
        for (var offered : group.offered()) {
            var id = offered.operation().verb()
                    + name
                    + (offered.name().isEmpty() ? "" : ComponentNames.of(List.of(offered.name())))
                    + offered.operation().suffix();
            var written = operation(offered, id, tag, schemas, Optional.of(group));
            paths.computeIfAbsent(offered.path(), DescriptionWriter::path)
                    .append(offered.operation().method().name().toLowerCase(Locale.ROOT), written);
        }
    }

    private Set<String> secrets(Group group) {
        return group.db()
                .flatMap(db -> group.collection().map(structure -> db + "." + structure.name()))
                .map(namespace -> server.secrets().getOrDefault(namespace, Set.of()))
                .orElse(Set.of());
    }

    /// A path item with the parameters of the path.
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
                .flatMap(structure -> Optional.ofNullable(Operations.CollectionPaths.definitions(
                                structure, operation.kind() == ResourceKind.AGGREGATION ? "aggrs" : "streams")
                        .get(offered.name())));
        var variables = definition.map(StoredVariables::of);
        var sent = parameters.of(offered, schemas, group, variables);
        if (!sent.isEmpty()) {
            written.append("parameters", sent);
        }
        variables
                .filter(found -> !found.isEmpty())
                .ifPresent(found -> written.append("x-variables", found.schema(schemas::typeOf)));
        messages.body(offered, schemas).ifPresent(body -> written.append("requestBody", body));
        written.append("responses", messages.responses(offered, schemas, definition));
        if (operation.kind() == ResourceKind.CHANGE_STREAM) {
            written.append("x-websocket", BsonValues.value(true));
        }
        return offered.anonymous() ? written.append("security", optionalSecurity()) : written;
    }

    private void service(ServiceOperations.Offer offer) {
        tag("services", Optional.empty());
        var operation = object("tags", array("services"));
        operation.putAll(offer.operation().clone()); // documents are changed while they are written
        if (offer.depends()) {
            operation.append("description", new BsonString(DEPENDS));
        }
        if (offer.anonymous()) {
            operation.append("security", optionalSecurity());
        }
        paths.computeIfAbsent(offer.path(), DescriptionWriter::path).append(offer.method(), operation);
    }

    /// Collections whose paths differ in the last segment only.
    private record PathGroup(List<String> prefix, ResourceKind kind) {}

    /// One path with a variable for all collections with the same prefix and kind.
    private void generic(VisibleResources visible) {
        var byPrefix = new LinkedHashMap<PathGroup, List<Group>>();
        for (var group : visible.groups()) {
            var segments = group.path().segments();
            if (group.collection().isEmpty() || segments.isEmpty()) {
                group(group);
            } else {
                var prefix = segments.subList(0, segments.size() - 1);
                byPrefix.computeIfAbsent(
                                new PathGroup(prefix, group.collection().get().kind()), _ -> new ArrayList<>())
                        .add(group);
            }
        }
        byPrefix.forEach(this::generic);
    }

    private void generic(PathGroup common, List<Group> groups) {
        var what = switch (common.kind()) {
            case FILES_BUCKET -> "Bucket";
            case SCHEMA_STORE -> "SchemaStore";
            default -> "Collection";
        };
        var variable = what.substring(0, 1).toLowerCase(Locale.ROOT) + what.substring(1);
        var name = (common.prefix().isEmpty() ? "" : ComponentNames.of(common.prefix())) + "Any" + what;
        tag(name, Optional.empty());
        var names = new LinkedHashSet<String>();
        groups.forEach(group -> names.add(group.path().segments().getLast()));
        var schemas = new DocumentSchemas(components, shapes, VisibleResources.OPEN, name, Set.of());
        var seen = new HashSet<String>();
        for (var group : groups) {
            var base = group.path().raw();
            var prefix = base.substring(0, base.lastIndexOf('/'));
            for (var offered : group.offered()) {
                if (!offered.name().isEmpty()) {
                    continue; // stored aggregations and streams are in the documents of their collections
                }
                var path = prefix + "/{" + variable + "}" + offered.path().substring(base.length());
                var operation = offered.operation();
                var method = operation.method().name().toLowerCase(Locale.ROOT);
                if (seen.add(method + path)) {
                    var item = paths.computeIfAbsent(path, DescriptionWriter::path);
                    enumerate(item, variable, names);
                    var id = operation.verb() + name + operation.suffix();
                    item.append(method, operation(offered, id, name, schemas, Optional.empty()));
                }
            }
        }
    }

    private static void enumerate(BsonDocument item, String variable, Set<String> names) {
        for (var parameter : item.getArray("parameters")) {
            if (new BsonString(variable).equals(parameter.asDocument().get("name")) && names.size() <= MAX_ENUM) {
                parameter.asDocument().append("schema", object("type", "string", "enum", BsonValues.value(names)));
            }
        }
    }

    /// Headers of many responses: warnings, and what caches must know of reads.
    private static final class SharedHeaders {
        private SharedHeaders() {}

        static BsonDocument all() {
            return object(
                    "Warning",
                    header("what had no effect, or was left out"),
                    "Vary",
                    header("the headers of the request on which the response depends"),
                    "Cache-Control",
                    header("what the author of the collection or the aggregation allows caches"));
        }

        /// The names of those that successful responses have.
        static List<String> of(DataOperation operation) {
            return switch (operation.use()) {
                case Read.GET, Read.FIND, Read.COUNT, Read.CHECK, Read.RUN ->
                    List.of("Warning", "Vary", "Cache-Control");
                case Read.LIST, Read.DESCRIBE -> List.of("Warning", "Vary");
                default -> List.of("Warning");
            };
        }

        private static BsonDocument header(String description) {
            return object("description", description, "schema", type("string"));
        }
    }

    /// Writes request bodies and responses of operations, by media type. Confined to one document.
    private static final class MessageWriter {
        private static final String FORM = "application/x-www-form-urlencoded";

        /// Writes without content have the new tag.
        private static final Set<Output> HAVE_TAGS = EnumSet.of(
                Output.NONE, Output.DOCUMENTS, Output.DOCUMENT, Output.PROPERTIES, Output.BULK, Output.BYTES);

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
                    var one = schemas.created(offered);
                    yield json(object("anyOf", array(one, schemas.manyCreated(offered))))
                            .append("application/x-ndjson", text("one document per line"))
                            .append("application/bson", new BsonDocument())
                            .append("text/csv", text("one document per record"));
                    // Not FORM: openapi-python-client cannot distinguish lists from it.
                }
                case DOCUMENT -> json(schemas.created(offered)).append(FORM, form());
                case CHANGES -> json(schemas.changed(offered)).append(FORM, form());
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
                headers.append("Location", SharedHeaders.header("where it is"));
            }
            boolean hasTag = HAVE_TAGS.contains(operation.output())
                    || operation.statuses().contains(304);
            if (hasTag && status != 204 && status != 207 && status < 400) {
                headers.append("ETag", SharedHeaders.header("the version"));
            }
            if (status == 200 && operation.use() == Read.FIND) {
                headers.append("Link", SharedHeaders.header("the next page, as `rel=\"next\"`"))
                        .append(
                                "X-Count-Strategy",
                                SharedHeaders.header("whether the count asked for is `exact` or `estimated`"))
                        .append(
                                "X-Total-Count",
                                object("description", "the count asked for", "schema", type("integer")));
            }
            if (operation.takesPreference() || operation.takesBound()) {
                headers.append("Preference-Applied", SharedHeaders.header("what of `Prefer` holds"));
            }
            for (var name : SharedHeaders.of(operation)) {
                headers.append(name, Json.reference("headers", name));
            }
            if (!headers.isEmpty()) {
                response.append("headers", headers);
            }
            if (status == 201 && operation.input() == Input.DOCUMENTS) {
                var links = schemas.links();
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

        /// The statuses of errors of each operation, with the codes of problems that it can have, and their
        /// responses.
        private static final class Failures {
            /// 429: attempts to guess passwords, rate limits and shares of one caller.
            private static final List<Integer> OF_ALL = List.of(400, 401, 403, 404, 408, 429, 500, 503);

            private static final Set<ResourceKind> WITH_VARIABLES =
                    EnumSet.of(ResourceKind.AGGREGATIONS, ResourceKind.AGGREGATION, ResourceKind.CHANGE_STREAM);

            private static final Set<Input> WITHOUT_DOCUMENTS =
                    EnumSet.of(Input.NONE, Input.PROPERTIES, Input.VALIDATOR);

            private Failures() {}

            static Set<Integer> of(DataOperation operation) {
                var statuses = new TreeSet<>(OF_ALL);
                if (operation.input() != Input.NONE) {
                    statuses.addAll(List.of(413, 415));
                }
                if (operation.writes()) {
                    statuses.add(409);
                }
                if (operation.takesPrecondition() || operation.use() == Write.INSERT) { // If-Match: * creates nothing
                    statuses.add(412);
                }
                if (WITH_VARIABLES.contains(operation.kind())
                        || operation.takesIdempotencyKey() // the key of another request
                        || (operation.kind() == ResourceKind.COLLECTION_VALIDATOR
                                && operation.method() == Method.PUT)) {
                    statuses.add(422);
                }
                if (operation.output() == Output.EVENTS) {
                    statuses.add(410);
                }
                statuses.removeAll(operation.statuses());
                return statuses;
            }

            /// The codes of a status that the operation can raise, in the order of [ProblemCode].
            static List<ProblemCode> codes(DataOperation operation, int status) {
                return Arrays.stream(ProblemCode.values())
                        .filter(code -> code.status() == status && canRaise(operation, code))
                        .toList();
            }

            private static boolean canRaise(DataOperation operation, ProblemCode code) {
                return switch (code) {
                    case TARGET_UNAVAILABLE -> false; // of proxies
                    case INDEX_PROTECTED ->
                        operation.kind() == ResourceKind.INDEX && operation.method() == Method.DELETE;
                    case CONTENT_INVALID, CONTENT_TIMED_OUT -> operation.input() != Input.NONE;
                    case DUPLICATE_KEY ->
                        !WITHOUT_DOCUMENTS.contains(operation.input())
                                || (operation.method() == Method.DELETE && operation.takesPrecondition());
                    case ETAG_REQUIRED -> operation.takesPrecondition() || operation.takesIdempotencyKey();
                    default -> true;
                };
            }

            /// The name of the shared response: that of the status, with the codes if these are not all of
            /// it.
            static String component(DataOperation operation, int status) {
                var codes = codes(operation, status);
                boolean all = Arrays.stream(ProblemCode.values())
                        .filter(code -> code.status() == status && code != ProblemCode.TARGET_UNAVAILABLE)
                        .allMatch(codes::contains);
                return "Status" + status
                        + (all
                                ? ""
                                : codes.stream().map(code -> "_" + code.name()).collect(Collectors.joining()));
            }

            static BsonDocument response(DataOperation operation, int status, Components components) {
                var response = object("description", StatusText.of(status));
                if (status == 503 || status == 429) {
                    response.append(
                            "headers",
                            object("Retry-After", object("description", "seconds", "schema", type("integer"))));
                }
                var names = new BsonArray(codes(operation, status).stream()
                        .map(code -> new BsonString(code.name()))
                        .toList());
                var problem = members(
                        object(
                                "type", type("string"),
                                "title", type("string"),
                                "status", type("integer"),
                                "detail", type("string"),
                                "code", object("type", "string", "enum", names),
                                "warnings", list(type("string"))),
                        "type",
                        "title",
                        "status");
                var name = "Problem." + component(operation, status).substring("Status".length());
                components.put(name, problem); // no collection's name has a dot
                return response.append(
                        "content",
                        Json.content("application/json", components.fixed("DataError"))
                                .append("application/problem+json", object("schema", Json.schema(name))));
            }
        }
    }
}
