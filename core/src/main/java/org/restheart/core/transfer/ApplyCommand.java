package org.restheart.core.transfer;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNumber;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.core.config.Secrets;
import org.restheart.core.transfer.ApplyFolder.Kind;
import org.restheart.core.transfer.ApplyFolder.Resource;
import org.restheart.http.ProblemException;
import org.restheart.rest.management.IndexHandlers.IndexSpecification;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Makes databases, collections, indexes, schemas, accounts, permissions and GraphQL apps as a folder says. A client of
/// the REST API: everything is read and compared first; then what differs is written, each with its entity tag, so that
/// what others change meanwhile is not overwritten.
@Command(
        name = "apply",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Makes databases, collections, indexes, schemas, accounts, permissions and GraphQL apps as the files of FOLDER",
            "say. Exit code 0: the gateway is as the folder says; 1: with --dry-run, it is not; 2: nothing was changed,",
            "because something is wrong; 3: it broke off after changes, and the same command goes on."
        })
final class ApplyCommand implements Callable<Integer> {
    static final int DIFFERENT = 1;
    static final int BROKEN_OFF = 3;

    private static final BsonString HIDDEN = new BsonString(Secrets.MASK);

    /// In a path, such a text is no string.
    private static final Pattern OBJECT_ID = Pattern.compile("[0-9a-fA-F]{24}");

    private static final int MAX_SHOWN = 300;
    private static final Duration READ = Duration.ofMinutes(2);
    private static final int PAGE = 100;

    /// Of an index: what MongoDB adds by itself, or what has no effect on what the index does.
    private static final Set<String> IMPLIED =
            Set.of("v", "key", "name", "_id", "ns", "background", "textIndexVersion", "2dsphereIndexVersion");

    /// Indexes that MongoDB and the gateway make for themselves.
    private static final Set<String> OWN_INDEXES =
            Set.of("_id_", "restheart_account_names", "filename_1_uploadDate_1", "movesFrom_1", "descriptor.uri_1");

    private static final BsonString TEXT = new BsonString("text");
    private static final BsonInt64 ONE = new BsonInt64(1);
    private static final BsonDocument SIMPLE = new BsonDocument("locale", new BsonString("simple"));

    private static final Map<String, BsonValue> DEFAULTS = Map.of(
            "default_language", new BsonString("english"),
            "language_override", new BsonString("language"),
            "unique", BsonBoolean.FALSE,
            "sparse", BsonBoolean.FALSE,
            "hidden", BsonBoolean.FALSE);

    @Mixin
    private final GatewayClient gateway;

    @Parameters(paramLabel = "FOLDER", description = "Folders collections, permissions and so on, of YAML or JSON.")
    private @Nullable Path folder;

    @Option(names = "--dry-run", description = "Shows what differs, and changes nothing.")
    private boolean dryRun;

    @Option(
            names = "--prune",
            description = {
                "Also removes indexes, schemas, permissions and GraphQL apps that are not in FOLDER, of the kinds that it has.",
                "Collections and databases stay."
            })
    private boolean prune;

    @Option(names = "--prune-accounts", description = "The same with accounts, but for the one that does it.")
    private boolean pruneAccounts;

    @Option(names = "--passwords", description = "Sets the passwords of accounts that exist, too.")
    private boolean passwords;

    @Option(
            names = "--graphql",
            paramLabel = "PATH",
            description = "Path of the collection of GraphQL definitions; else gql-apps beside /acl.")
    private @Nullable String graphql;

    private final Map<String, String> environment;
    private final PrintStream out;
    private final PrintStream err;
    private final List<Step> steps = new ArrayList<>();
    private final Set<String> containers = new HashSet<>();

    /// Paths of indexes that others replace.
    private final Set<String> replaced = new HashSet<>();

    /// The indexes that MongoDB lists, by the path of those of a collection.
    private final Map<String, List<BsonDocument>> indexes = new HashMap<>();

    private String self = "";
    private BsonArray roles = new BsonArray();
    private int equal;

    ApplyCommand(Map<String, String> environment, PrintStream out, PrintStream err) {
        this.environment = environment;
        this.out = out;
        this.err = err;
        this.gateway = new GatewayClient(environment, err);
    }

    @Option(
            names = "--url",
            paramLabel = "URL",
            defaultValue = "http://localhost:8080",
            converter = GatewayClient.Address.class,
            description = "Base URL of the gateway and its data; ${DEFAULT-VALUE}.")
    void url(URI url) {
        gateway.url(URI.create(url.toString().replaceAll("/+$", "")));
    }

    /// A request; a tag is that of what is there, empty for what must not be there.
    private record Write(
            String method,
            String path,
            @Nullable BsonDocument content,
            @Nullable String tag) {}

    /// A planned change.
    ///
    /// @param undo sent if a later write fails than the first
    private record Step(
            char sign,
            Kind kind,
            String path,
            String file,
            List<String> changes,
            List<Write> writes,
            Optional<Write> undo) {
        @Override
        public String toString() {
            return sign + " " + kind.name().toLowerCase(Locale.ROOT) + " " + (path.isEmpty() ? "/" : path)
                    + (file.isEmpty() ? "" : "  (" + file + ")");
        }
    }

    private record Found(BsonDocument content, @Nullable String tag) {}

    @Override
    public Integer call() throws IOException {
        if (gateway.url().getRawUserInfo() != null) {
            throw new Transfer.Failure("credentials do not stand in --url, but in RESTHEART_USER");
        }
        var paths = paths();
        var wanted = ApplyFolder.read(Objects.requireNonNull(folder), environment, paths);
        try {
            for (var resource : wanted.resources()) {
                compare(wanted, resource);
            }
            var owners = wanted.owned().entrySet().stream()
                    .filter(owner -> owner.getValue() == Kind.ACCOUNT ? pruneAccounts : prune)
                    .sorted(Map.Entry.comparingByValue())
                    .toList();
            for (var owner : owners) {
                prune(wanted, owner.getKey(), owner.getValue());
            }
        } catch (Transfer.Failure e) {
            throw new Transfer.Failure(wanted.masked(String.valueOf(e.getMessage())));
        }
        var own = paths.accounts().orElse("") + "/" + ApplyFolder.segment(self);
        steps.sort(Comparator.comparingInt(step -> order(step, own)));
        for (var step : steps) {
            out.println(step);
            step.changes().forEach(change -> out.println("    " + wanted.masked(change)));
        }
        return dryRun ? end(DIFFERENT, "to be ") : execute(wanted);
    }

    /// What may take rights from the account that runs this comes last.
    private static int order(Step step, String own) {
        return switch (step.kind()) {
            case PERMISSION -> step.sign() == '+' ? 0 : 1;
            case ACCOUNT -> step.path().equals(own) ? 2 : 0;
            case DATABASE, SCHEMA, COLLECTION, INDEX, GRAPHQL -> 0;
        };
    }

    private int end(int different, String how) {
        out.println(count('+') + " " + how + "created, " + count('~') + " " + how + "changed, " + count('-') + " " + how
                + "removed; " + equal + " as the folder says");
        return steps.isEmpty() ? 0 : different;
    }

    private long count(char sign) {
        return steps.stream().filter(step -> step.sign() == sign).count();
    }

    /// The rest is not tried after a failure: it may need what failed.
    private int execute(ApplyFolder wanted) {
        for (int done = 0; done < steps.size(); done++) {
            var step = steps.get(done);
            int sent = 0;
            try {
                for (; sent < step.writes().size(); sent++) {
                    send(step.writes().get(sent));
                }
            } catch (IOException | Transfer.Failure e) {
                boolean known = e instanceof Transfer.Failure;
                tell(wanted, step, e);
                boolean undone = sent == 0 || undo(wanted, step);
                steps.subList(0, done).forEach(earlier -> err.println("done  " + earlier));
                err.println((!known ? "unknown  " : !undone ? "half done  " : sent == 0 ? "not done  " : "put back  ")
                        + step);
                steps.subList(done + 1, steps.size()).forEach(later -> err.println("not done  " + later));
                return done == 0 && sent == 0 && known ? Transfer.FAILED : BROKEN_OFF;
            }
        }
        return end(0, "");
    }

    private void tell(ApplyFolder wanted, Step step, Exception failure) {
        var why = failure instanceof IOException broken
                ? gateway.reason(broken) + "; whether it was done is not known"
                : failure.getMessage();
        err.println("ERROR " + wanted.masked((step.file().isEmpty() ? step.path() : step.file()) + ": " + why));
    }

    private boolean undo(ApplyFolder wanted, Step step) {
        try {
            send(step.undo().orElseThrow());
            return true;
        } catch (IOException | Transfer.Failure e) {
            tell(wanted, step, e);
            return false;
        }
    }

    private ApplyFolder.ResourcePaths paths() throws IOException {
        var base = Objects.requireNonNullElse(gateway.url().getRawPath(), "");
        var overview = read("/_access", "")
                .orElseThrow(() -> new Transfer.Failure(
                        gateway.url() + " has no service /_access, which says where accounts and permissions are"))
                .asDocument();
        self = overview.getString("account").getValue();
        roles = overview.getArray("roles");
        Optional<String> accounts = Optional.empty();
        Optional<String> permissions = Optional.empty();
        boolean single = false;
        for (var each : overview.getArray("resources")) {
            var resource = each.asDocument();
            var path = resource.getArray("segments").stream()
                    .map(segment -> "/" + ApplyFolder.segment(segment.asString().getValue()))
                    .collect(Collectors.joining());
            single |= resource.getString("kind").getValue().equals("database") && path.equals(base);
            switch (resource.getString("holds", new BsonString("")).getValue()) {
                case "accounts" -> accounts = Optional.of(path);
                case "permissions" -> permissions = Optional.of(path);
                default -> {}
            }
        }
        var beside = permissions.or(() -> Optional.of(base + "/acl")).orElseThrow();
        return new ApplyFolder.ResourcePaths(
                base,
                single,
                accounts,
                permissions,
                graphql != null ? graphql : beside.substring(0, beside.lastIndexOf('/')) + "/gql-apps");
    }

    private void compare(ApplyFolder wanted, Resource resource) throws IOException {
        switch (resource.kind()) {
            case DATABASE, COLLECTION -> compare(wanted, resource, properties(resource.path()), "");
            case INDEX -> compareIndex(wanted, resource);
            case SCHEMA, ACCOUNT, GRAPHQL, PERMISSION -> {
                if (!wanted.has(resource.parent())
                        && containers.add(resource.parent())
                        && properties(resource.parent()).isEmpty()) {
                    var write = new Write("PUT", resource.parent(), new BsonDocument(), "");
                    create(Kind.COLLECTION, resource.parent(), resource.file(), write);
                }
                compare(wanted, resource, found(resource.path(), ""), "?wm=upsert");
            }
        }
    }

    private void compare(ApplyFolder wanted, Resource resource, Optional<Found> found, String upsert) {
        if (found.isEmpty()) {
            var write = new Write("PUT", resource.path() + upsert, resource.content(), "");
            create(resource.kind(), resource.path(), resource.file(), write);
            return;
        }
        if (resource.implied()) {
            equal++;
            return;
        }
        var there = found.get().content();
        var content = resource.content().clone();
        boolean account = resource.kind() == Kind.ACCOUNT;
        if (resource.kind() == Kind.SCHEMA) { // the gateway adds them
            var added = content.containsKey("$schema") ? Set.of("id", "$id") : Set.of("id", "$id", "$schema");
            there.keySet().removeAll(added);
            content.keySet().removeAll(added);
        }
        if (account) { // other properties are the account's own, and nobody is shown its password
            there.keySet().retainAll(content.keySet());
            content.keySet().removeIf(name -> !passwords && !there.containsKey(name) && Secrets.isNamedSecret(name));
        }
        var changes = new ArrayList<String>();
        differences("", there, content, wanted, changes);
        var write = account
                ? new Write("PATCH", resource.path(), content, found.get().tag())
                : new Write(
                        "PUT", resource.path(), resource.content(), found.get().tag());
        change(resource, changes, List.of(write), Optional.empty());
    }

    private void create(Kind kind, String path, String file, Write write) {
        steps.add(new Step('+', kind, path, file, List.of(), List.of(write), Optional.empty()));
    }

    private void change(Resource resource, List<String> changes, List<Write> writes, Optional<Write> undo) {
        if (changes.isEmpty()) {
            equal++;
        } else {
            steps.add(new Step('~', resource.kind(), resource.path(), resource.file(), changes, writes, undo));
        }
    }

    /// An index cannot be changed, nor named otherwise: it is dropped and built anew; if that fails, as it was.
    private void compareIndex(ApplyFolder wanted, Resource resource) throws IOException {
        var specified = specified(resource);
        var collation = specified.getDocument("collation", new BsonDocument());
        var content = definition(specified, collation);
        var listed = new LinkedHashMap<String, BsonDocument>();
        indexes(resource.parent())
                .forEach(index -> listed.put(resource.parent() + "/" + ApplyFolder.segment(id(index)), index));
        var build = new Write("PUT", resource.path(), resource.content(), null);
        var changes = new ArrayList<String>();
        var old = resource.path();
        if (!listed.containsKey(old)) {
            var other = listed.entrySet().stream()
                    .filter(each -> !wanted.has(each.getKey())
                            && !replaced.contains(each.getKey())
                            && haveSameKeys(definition(each.getValue(), collation), content))
                    .findFirst();
            old = other.map(Map.Entry::getKey).orElse("");
            if (!prune || old.isEmpty() || OWN_INDEXES.contains(name(old))) {
                other.ifPresent(
                        each -> differences("", definition(each.getValue(), collation), content, wanted, changes));
                if (other.isPresent() && (changes.isEmpty() || isText(content))) { // MongoDB has no two of them
                    throw new Transfer.Failure(resource.file() + ": " + old + " stands in the way of " + resource.path()
                            + ": put it into the file, or remove it, as --prune does");
                }
                create(Kind.INDEX, resource.path(), resource.file(), build);
                return;
            }
            replaced.add(old);
            changes.add("~ name: " + name(old) + " → " + name(resource.path()));
        }
        var there = Objects.requireNonNull(listed.get(old)).clone();
        differences("", definition(there, collation), content, wanted, changes);
        var before = new BsonDocument("keys", there.getDocument("key"));
        there.keySet().removeAll(Set.of("_id", "v", "key", "ns"));
        there.put("collation", there.getDocument("collation", SIMPLE.clone())); // else that of the collection
        there.getDocument("collation").remove("version"); // MongoDB's own
        var drop = new Write("DELETE", old, null, null);
        var undo = new Write("PUT", old, before.append("ops", there), null);
        change(resource, changes, List.of(drop, build), Optional.of(undo));
    }

    /// What the gateway sends MongoDB for an index of a file. What it would warn about is refused.
    private static BsonDocument specified(Resource resource) {
        try {
            return IndexSpecification.of(name(resource.path()), resource.content(), warning -> {
                throw new Transfer.Failure(resource.file() + ": " + warning);
            });
        } catch (ProblemException e) {
            throw new Transfer.Failure(resource.file() + ": " + e.getMessage());
        }
    }

    private static boolean haveSameKeys(BsonDocument one, BsonDocument other) {
        return (isText(one) && isText(other)) || json(one.getDocument("keys")).equals(json(other.getDocument("keys")));
    }

    private static boolean isText(BsonDocument definition) {
        return definition.getDocument("keys").containsValue(TEXT);
    }

    /// An index in the form in which two are compared, whether MongoDB lists it or is sent it.
    ///
    /// @param collation of the file: MongoDB lists all its fields, and that of the collection if the file has none
    private static BsonDocument definition(BsonDocument index, BsonDocument collation) {
        var ops = normalizedNumbers(index).asDocument();
        var key = ops.getDocument("key");
        ops.keySet().removeAll(IMPLIED);
        DEFAULTS.forEach((name, value) -> ops.remove(name, value));
        var full = ops.remove("collation") instanceof BsonDocument given ? given : SIMPLE;
        if (!collation.isEmpty()) {
            var compared = new BsonDocument();
            collation.keySet().stream().filter(full::containsKey).forEach(name -> compared.put(name, full.get(name)));
            ops.put("collation", compared);
        }
        var weights = new TreeMap<String, BsonValue>(
                ops.remove("weights") instanceof BsonDocument given ? given : new BsonDocument());
        key.forEach((field, value) -> {
            if (value.equals(TEXT) && !field.equals("_fts")) {
                weights.putIfAbsent(field, ONE);
            }
        });
        var keys = new BsonDocument();
        key.forEach((field, value) -> {
            if (value.equals(TEXT)) {
                weights.keySet().forEach(text -> keys.put(text, TEXT));
            } else if (!field.equals("_ftsx")) {
                keys.put(field, value);
            }
        });
        weights.values().removeIf(ONE::equals);
        if (!weights.isEmpty()) {
            ops.put("weights", sorted(weights));
        }
        return new BsonDocument("keys", keys).append("ops", sorted(ops));
    }

    private static BsonDocument sorted(Map<String, BsonValue> members) {
        var sorted = new BsonDocument();
        sorted.putAll(new TreeMap<>(members));
        return sorted;
    }

    /// A copy with whole numbers of one type.
    private static BsonValue normalizedNumbers(BsonValue value) {
        return value instanceof BsonNumber number && !value.isDecimal128() && number.doubleValue() == number.longValue()
                ? new BsonInt64(number.longValue())
                : BsonValues.copy(value, ApplyCommand::normalizedNumbers);
    }

    private List<BsonDocument> indexes(String path) throws IOException {
        var listed = indexes.get(path);
        if (listed == null) {
            listed = list(path, "&nocache");
            indexes.put(path, listed);
        }
        return listed;
    }

    private List<BsonDocument> list(String path, String query) throws IOException {
        return read(path, query)
                .map(all -> all.asArray().stream().map(BsonValue::asDocument).toList())
                .orElse(List.of());
    }

    /// Steps for what is there and not in the folder.
    private void prune(ApplyFolder wanted, String owner, Kind kind) throws IOException {
        List<BsonDocument> there = kind == Kind.INDEX ? indexes(owner) : documents(owner);
        if (kind == Kind.ACCOUNT && there.stream().noneMatch(each -> new BsonString(self).equals(each.get("_id")))) {
            throw new Transfer.Failure("--prune-accounts: " + owner + " has no document whose _id is " + self
                    + ", the account that runs this; its own could be among those that are removed (prop-id)");
        }
        for (var each : there) {
            boolean named = each.get("_id") instanceof BsonObjectId
                    || (each.get("_id") instanceof BsonString text
                            && !OBJECT_ID.matcher(text.getValue()).matches());
            var path = named ? owner + "/" + ApplyFolder.segment(id(each)) : "";
            boolean kept = kind == Kind.INDEX
                    ? OWN_INDEXES.contains(id(each)) || replaced.contains(path)
                    : kind == Kind.ACCOUNT && id(each).equals(self);
            if (!named) {
                err.println("WARN  " + owner + " has " + each.get("_id") + ", which no path can name; it stays");
            } else if (!kept && !wanted.has(path)) {
                if (kind == Kind.PERMISSION
                        && each.get("roles") instanceof BsonArray its
                        && !Collections.disjoint(its, roles)) {
                    err.println("WARN  " + path + " is for a role of " + self + ", which runs this; it stays");
                    continue;
                }
                var write = new Write("DELETE", path, null, tag(each));
                steps.add(new Step('-', kind, path, "", List.of(), List.of(write), Optional.empty()));
            }
        }
    }

    private List<BsonDocument> documents(String collection) throws IOException {
        var all = new ArrayList<BsonDocument>();
        for (int page = 1; all.size() == (page - 1) * PAGE; page++) {
            all.addAll(list(
                    collection, "&sort=_id&keys=%7B%22_etag%22:1,%22roles%22:1%7D&pagesize=" + PAGE + "&page=" + page));
        }
        return all;
    }

    private static String id(BsonDocument document) {
        return document.get("_id") instanceof BsonObjectId object
                ? object.getValue().toHexString()
                : document.getString("_id").getValue();
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /// What must change that one value becomes the other, a line for each field. The order of fields counts, as in a
    /// sort and in keys, except at the top.
    private static void differences(
            String path, BsonValue there, BsonValue wanted, ApplyFolder folder, List<String> changes) {
        if (there instanceof BsonDocument before
                && wanted instanceof BsonDocument after
                && (path.isEmpty() || List.copyOf(before.keySet()).equals(List.copyOf(after.keySet())))) {
            var names = new LinkedHashSet<>(before.keySet());
            names.addAll(after.keySet());
            for (var name : names) {
                var field = path.isEmpty() ? name : path + "." + name;
                var old = before.get(name);
                var now = after.get(name);
                if (old != null && now != null) {
                    differences(field, old, now, folder, changes);
                } else if (old != null) {
                    changes.add("- " + field + ": " + shown(field, old, false));
                } else if (now != null) {
                    changes.add("+ " + field + ": " + shown(field, now, folder.isSecret(now)));
                }
            }
        } else if (there instanceof BsonArray before
                && wanted instanceof BsonArray after
                && before.size() == after.size()) {
            for (int i = 0; i < before.size(); i++) {
                differences(path + "." + i, before.get(i), after.get(i), folder, changes);
            }
        } else if (!json(there).equals(json(wanted))) {
            boolean secret = folder.isSecret(wanted);
            changes.add("~ " + path + ": " + shown(path, there, secret) + " → " + shown(path, wanted, secret));
        }
    }

    private static String shown(String path, BsonValue value, boolean secret) {
        var text = secret ? HIDDEN.getValue() : json(masked(path, value));
        return text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "…" : text;
    }

    /// Equal values have equal texts: integers of 32 and 64 bits do not differ.
    private static String json(BsonValue value) {
        return JsonEncoder.of(JsonMode.RELAXED).encodeToString(value);
    }

    private static BsonValue masked(String name, BsonValue value) {
        return switch (value) {
            case BsonValue _ when Secrets.isNamedSecret(name) -> HIDDEN;
            case BsonDocument document -> BsonValues.copy(document, ApplyCommand::masked);
            case BsonString text -> new BsonString(Secrets.inUri(text.getValue()));
            default -> BsonValues.copy(value, element -> masked(name, element));
        };
    }

    /// Of a database or collection; one that others have made has none.
    private Optional<Found> properties(String path) throws IOException {
        var properties = found(path + "/_meta", "&nocache");
        return properties.isPresent()
                ? properties
                : found(path + "/_size", "&nocache").map(_ -> new Found(new BsonDocument(), null));
    }

    private Optional<Found> found(String path, String query) throws IOException {
        return read(path, query).map(BsonValue::asDocument).map(content -> {
            var tag = tag(content);
            content.keySet().removeAll(Set.of("_id", "_etag"));
            return new Found(content, tag);
        });
    }

    private static @Nullable String tag(BsonDocument document) {
        return document.get("_etag") instanceof BsonObjectId tag
                ? tag.getValue().toHexString()
                : null;
    }

    /// What the gateway answers; empty if there is nothing.
    private Optional<BsonValue> read(String path, String query) throws IOException {
        var answer = send(
                request("GET", path + "?jsonMode=extended&rep=STANDARD" + query, null)
                        .timeout(READ),
                true);
        return switch (answer.statusCode()) {
            case 200 -> Optional.of(JsonParser.parse(answer.body()));
            case 404 -> Optional.empty();
            default ->
                throw new Transfer.Failure("GET " + path + ": "
                        + GatewayClient.refused(answer.statusCode(), answer.body())
                                .getMessage());
        };
    }

    private void send(Write write) throws IOException {
        var request = request(write.method(), write.path(), write.content());
        Optional.ofNullable(write.tag())
                .ifPresent(
                        tag -> request.header(tag.isEmpty() ? "If-None-Match" : "If-Match", tag.isEmpty() ? "*" : tag));
        var answer = send(request, false);
        if (answer.statusCode() == 412) {
            throw new Transfer.Failure("somebody else has changed it meanwhile; run this again");
        }
        if (answer.statusCode() >= 500) {
            throw new IOException(
                    GatewayClient.refused(answer.statusCode(), answer.body()).getMessage());
        }
        if (answer.statusCode() / 100 != 2) {
            throw GatewayClient.refused(answer.statusCode(), answer.body());
        }
    }

    private HttpRequest.Builder request(String method, String path, @Nullable BsonDocument content) {
        var publisher = content == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(
                        JsonEncoder.of(JsonMode.EXTENDED).encodeToString(content));
        return gateway.request(gateway.url().resolve(path))
                .header("Content-Type", "application/json")
                .method(method, publisher);
    }

    /// Repeats reads that fail for a moment. A write is repeated only if it was not carried out.
    private HttpResponse<String> send(HttpRequest.Builder request, boolean read) throws IOException {
        for (int attempt = 1; ; attempt++) {
            String why;
            try {
                var answer = gateway.send(request.build(), BodyHandlers.ofString());
                int status = answer.statusCode();
                boolean again = status == 429 || (read && GatewayClient.isTransient(status));
                if (!again || attempt >= gateway.attempts()) {
                    return answer;
                }
                why = "status " + status;
            } catch (IOException e) {
                if (!read || attempt >= gateway.attempts()) {
                    throw e;
                }
                why = gateway.reason(e);
            }
            gateway.pause(attempt, why);
        }
    }
}
