package org.restheart.core.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.core.config.ConfigException;
import org.restheart.core.config.Secrets;
import org.restheart.core.config.Yaml;
import org.restheart.http.PercentCoding;

/// Reads the folder of `apply`: a folder for each kind, in it a file for each resource. Nothing is sent to a gateway
/// before all files have been read. Confined to one thread.
final class ApplyFolder {
    private static final int MAX_FILE = 4 << 20;
    private static final int MAX_RESOURCES = 10_000;
    private static final Pattern REFERENCE = Pattern.compile("\\$\\{(env|file):([^}]+)}");

    /// What a folder can have, in the order in which it is made.
    enum Kind {
        DATABASE,
        SCHEMA,
        COLLECTION,
        INDEX,
        GRAPHQL,
        ACCOUNT,
        PERMISSION
    }

    /// The paths of the collections of accounts, permissions and GraphQL apps.
    ///
    /// @param base the path of the database, or of all, without a slash at its end
    /// @param single whether that is one database
    record ResourcePaths(
            String base, boolean single, Optional<String> accounts, Optional<String> permissions, String graphql) {}

    /// What a file wants.
    ///
    /// @param implied whether it has no file, and needs only to exist
    record Resource(Kind kind, String path, String file, BsonDocument content, boolean implied) {
        Resource(Kind kind, String path, String file, BsonDocument content) {
            this(kind, path, file, content, false);
        }

        String parent() {
            return path.substring(0, path.lastIndexOf('/'));
        }
    }

    private final Path root;
    private final Map<String, String> environment;
    private final ResourcePaths resourcePaths;
    private final List<Resource> resources = new ArrayList<>();
    private final Set<String> paths = new HashSet<>();
    private final Map<String, Kind> owned = new TreeMap<>();
    private final Set<BsonValue> secretValues = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<String> secrets = new HashSet<>();

    private ApplyFolder(Path root, Map<String, String> environment, ResourcePaths resourcePaths) {
        this.root = root;
        this.environment = environment;
        this.resourcePaths = resourcePaths;
    }

    /// @throws Transfer.Failure naming the file, if one is wrong
    static ApplyFolder read(Path root, Map<String, String> environment, ResourcePaths resourcePaths)
            throws IOException {
        if (!Files.isDirectory(root)) {
            throw new Transfer.Failure("there is no folder " + root);
        }
        var folder = new ApplyFolder(root, environment, resourcePaths);
        for (var entry : entries(root)) {
            switch (plainName(entry)) {
                case "databases" -> folder.databases(entry);
                case "accounts" ->
                    folder.documents(
                            entry,
                            Kind.ACCOUNT,
                            resourcePaths
                                    .accounts()
                                    .orElseThrow(() -> folder.wrong(
                                            entry, "this account sees no collection of accounts in the gateway")));
                case "permissions" ->
                    folder.documents(
                            entry,
                            Kind.PERMISSION,
                            resourcePaths
                                    .permissions()
                                    .orElseThrow(() -> folder.wrong(
                                            entry, "this account sees no collection of permissions in the gateway")));
                case "graphql" -> folder.documents(entry, Kind.GRAPHQL, resourcePaths.graphql());
                default -> folder.ofDatabase(entry, resourcePaths.base(), resourcePaths.single());
            }
        }
        folder.resources.sort(Comparator.comparing(Resource::kind));
        return folder;
    }

    List<Resource> resources() {
        return List.copyOf(resources);
    }

    boolean has(String path) {
        return paths.contains(path);
    }

    /// The paths of collections whose documents or indexes the folder lists.
    Map<String, Kind> owned() {
        return Collections.unmodifiableMap(owned);
    }

    /// Whether a value is, or has within, what a reference has filled in.
    boolean isSecret(BsonValue value) {
        return secretValues.contains(value) || BsonValues.within(value).anyMatch(this::isSecret);
    }

    String masked(String text) {
        var masked = text;
        // one may begin with another
        for (var secret : secrets.stream()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList()) {
            masked = masked.replace(secret, Secrets.MASK);
        }
        return masked;
    }

    private void databases(Path folder) throws IOException {
        if (resourcePaths.single()) {
            throw wrong(folder, "at this URL the gateway has one database only; see mongo-mounts");
        }
        for (var database : entries(folder)) {
            var path = resourcePaths.base() + "/" + segment(fileName(database));
            var entries = entries(database);
            if (entries.stream().noneMatch(entry -> plainName(entry).equals("database"))) {
                add(new Resource(Kind.DATABASE, path, name(database), new BsonDocument(), true));
            }
            for (var entry : entries) {
                ofDatabase(entry, path, true);
            }
        }
    }

    private void ofDatabase(Path entry, String path, boolean database) throws IOException {
        var name = plainName(entry);
        if (!database && List.of("database", "schemas", "collections").contains(name)) {
            throw wrong(entry, "the gateway has several databases here: put this into databases/NAME");
        }
        switch (name) {
            case "database" -> add(new Resource(Kind.DATABASE, path, name(entry), object(entry)));
            case "schemas" -> documents(entry, Kind.SCHEMA, path + "/_schemas");
            case "collections" -> collections(entry, path);
            default ->
                throw wrong(
                        entry,
                        "is none of accounts, collections, databases, graphql, permissions, schemas, database.yml");
        }
    }

    private void collections(Path folder, String database) throws IOException {
        for (var file : entries(folder)) {
            var content = object(file);
            var path = database + "/" + segment(plainName(file));
            var indexes = content.remove("indexes");
            add(new Resource(Kind.COLLECTION, path, name(file), content));
            if (indexes instanceof BsonDocument map) {
                owned.put(path + "/_indexes", Kind.INDEX);
                map.forEach((index, value) -> {
                    if (!(value instanceof BsonDocument definition) || !definition.containsKey("keys")) {
                        throw wrong(file, "the index " + index + " has no keys");
                    }
                    add(new Resource(Kind.INDEX, path + "/_indexes/" + segment(index), name(file), definition));
                });
            } else if (indexes != null) {
                throw wrong(file, "indexes is an object: each index by its name");
            }
        }
    }

    /// A file has one document, which is named as the file is, or an array of documents with an `_id`.
    private void documents(Path folder, Kind kind, String collection) throws IOException {
        int before = resources.size();
        for (var file : entries(folder)) {
            switch (value(file)) {
                case BsonArray several ->
                    several.forEach(each -> {
                        if (!(each instanceof BsonDocument document)
                                || !(document.remove("_id") instanceof BsonString id)
                                || isSecret(id)) {
                            throw wrong(file, "each element needs an _id that is a string, without references");
                        }
                        add(new Resource(
                                kind, collection + "/" + segment(id.getValue()), name(file), checked(document, file)));
                    });
                case BsonValue _ ->
                    add(new Resource(kind, collection + "/" + segment(plainName(file)), name(file), object(file)));
            }
        }
        if (resources.size() > before) { // else others would be superfluous by mistake
            owned.put(collection, kind);
        }
    }

    private void add(Resource resource) {
        if (resources.size() >= MAX_RESOURCES) {
            throw new Transfer.Failure("the folder has more than " + MAX_RESOURCES + " resources");
        }
        if (!paths.add(resource.path())) {
            throw new Transfer.Failure(resource.file() + ": " + resource.path() + " has a file already");
        }
        resources.add(resource);
    }

    private BsonDocument object(Path file) throws IOException {
        if (!(value(file) instanceof BsonDocument document)) {
            throw wrong(file, "an object is expected");
        }
        var name = plainName(file);
        var id = document.remove("_id");
        if (id != null
                && !id.equals(new BsonString(name))
                && !(id instanceof BsonObjectId object
                        && object.getValue().toHexString().equals(name))) {
            throw wrong(file, "the _id is the name of the file, without its ending");
        }
        return checked(document, file);
    }

    private BsonDocument checked(BsonDocument document, Path file) {
        document.keySet().stream().filter(key -> key.contains(".")).findFirst().ifPresent(key -> {
            throw wrong(file, "the gateway stores " + key + " as nested objects: write it so");
        });
        document.remove("_etag");
        return document;
    }

    private BsonValue value(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw wrong(file, "a file .yml, .yaml or .json is expected");
        }
        if (Files.size(file) > MAX_FILE) {
            throw wrong(file, "has more than 4 MiB");
        }
        var text = Files.readString(file);
        try {
            return resolved(
                    JsonParser.parse(fileName(file).matches("(?i).*\\.json") ? text : Yaml.json(text, "it")), file);
        } catch (ConfigException e) {
            throw wrong(file, String.valueOf(e.getMessage()));
        } catch (MalformedJsonException e) { // without the text, which may be a secret
            throw wrong(file, String.valueOf(e.getMessage()).replaceAll("(['\"]).*\\1", "…"));
        }
    }

    /// With the variables and files to which strings refer.
    private BsonValue resolved(BsonValue value, Path file) {
        switch (value) {
            case BsonDocument document -> document.replaceAll((_, member) -> resolved(member, file));
            case BsonArray array -> array.replaceAll(member -> resolved(member, file));
            case BsonString text
            when REFERENCE.matcher(text.getValue()).find() -> {
                var filled = new BsonString(REFERENCE
                        .matcher(text.getValue())
                        .replaceAll(found -> Matcher.quoteReplacement(secret(found.group(1), found.group(2), file))));
                secretValues.add(filled);
                return filled;
            }
            default -> {}
        }
        return value;
    }

    private String secret(String source, String name, Path file) {
        try {
            boolean variable = source.equals("env");
            var found = (variable
                            ? Optional.ofNullable(environment.get(name))
                            : Secrets.ofFile(file.resolveSibling(name)))
                    .orElseThrow(() -> wrong(
                            file, variable ? "the variable " + name + " is not set" : name + " has more than 64 KiB"));
            if (found.isBlank()) {
                throw wrong(file, name + " is empty");
            }
            secrets.add(found);
            return found;
        } catch (NoSuchFileException _) {
            throw wrong(file, "there is no file " + name);
        } catch (IOException | InvalidPathException _) {
            throw wrong(file, "cannot read " + name);
        }
    }

    private Transfer.Failure wrong(Path file, String why) {
        return new Transfer.Failure(name(file) + ": " + why);
    }

    private String name(Path file) {
        return root.relativize(file).toString();
    }

    /// The folders and the files of YAML and JSON in a folder, in the order of names. Others are ignored, such as those
    /// of secrets.
    private static List<Path> entries(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new Transfer.Failure(folder + " must be a folder");
        }
        try (var list = Files.list(folder)) {
            return list.filter(path -> !fileName(path).startsWith("."))
                    .filter(path -> Files.isDirectory(path) || !fileName(path).equals(plainName(path)))
                    .sorted()
                    .toList();
        }
    }

    private static String fileName(Path path) {
        return String.valueOf(path.getFileName());
    }

    private static String plainName(Path path) {
        return fileName(path).replaceFirst("(?i)\\.(ya?ml|json)$", "");
    }

    static String segment(String name) {
        return PercentCoding.encode(name, "");
    }
}
