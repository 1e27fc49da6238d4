package org.restheart.openapi;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;

import java.util.ArrayList;
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
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonMode;
import org.restheart.http.access.ResourceKind;
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

    /// Metadata of the document.
    ///
    /// @param scope the path that it describes
    /// @param account empty for anonymous callers
    /// @param securitySchemes the authentication mechanisms
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
        document.append("securitySchemes", metadata.securitySchemes());
        var used = new TreeMap<String, BsonDocument>();
        collect(all, used);
        collect(document, used);
        section(document, "schemas", used);
        return document;
    }

    /// Collects the referenced schemas: a declared schema may define more, such as types of hidden properties.
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
                .flatMap(structure -> Optional.ofNullable(CollectionPaths.definitions(
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
        var operation =
                object("tags", array("services"), "operationId", offer.operationId(), "summary", offer.summary());
        if (offer.depends()) {
            operation.append("description", new BsonString(DEPENDS));
        }
        offer.requestBody().ifPresent(body -> operation.append("requestBody", body));
        operation.append("responses", offer.responses());
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
}
