package org.restheart.security.apikey;

import java.net.URI;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.data.Access;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.access.Account;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.Permitted.RuleDecision;
import org.restheart.security.Authorizer;
import org.restheart.security.Credentials;
import org.restheart.security.apikey.ApiKey.ApiKeys;
import org.restheart.security.predicate.KindAttempt;
import org.restheart.security.predicate.PathPattern;
import org.restheart.security.realm.Realm;
import org.restheart.text.Nearest;

/// `/_apikeys`: creates, lists and revokes keys. The root role may do so for every account, others for themselves; the
/// service implements the rule that allows it.
public record ApiKeyService(ApiKeys keys, KeyForm form, Realm realm, Settings settings) implements Service, Authorizer {
    public static final String URI = "/_apikeys";

    private static final PathPattern PATH = PathPattern.ofUri(URI);
    private static final int MAX_KEYS = 1_000;

    /// @param rootRole the role that may create keys for every account and import keys
    /// @param realm by which credentials refer to the realm of the keys' accounts
    public record Settings(
            Optional<String> rootRole, boolean unlimited, Duration longest, boolean selfService, String realm) {}

    @Override
    public boolean requiresAuthentication(Request request) {
        return true;
    }

    @Override
    public Optional<Access> authorize(Request request, @Nullable Account account) {
        return PATH.isPrefixOf(request.path()) && account != null && (settings.selfService() || isRoot(account))
                ? Optional.of(new Access.Root())
                : Optional.empty();
    }

    @Override
    public List<RuleDecision> ask(Request example, KindAttempt attempt) {
        var account = attempt.account();
        boolean may = account != null && (settings.selfService() || isRoot(account));
        return List.of(RuleDecision.of("key service", may ? attempt.kind().isBelow(PATH.segments()) : Decision.NEVER));
    }

    private boolean isRoot(Account account) {
        return settings.rootRole().filter(account::hasRole).isPresent();
    }

    @Override
    public Response handle(Request request) {
        request.requireThread();
        var caller = request.caller().account().orElseThrow(() -> forbidden("keys belong to accounts"));
        requireManager(request, caller);
        var segments = request.path().segments();
        return switch (segments.size()) {
            case 1 ->
                switch (request.method()) {
                    case GET -> list(request, caller);
                    case POST -> create(request, caller);
                    default -> throw Problem.notAllowed("GET, POST").raise();
                };
            case 2 ->
                switch (request.method()) {
                    case PATCH -> change(request, find(request, caller, segments.get(1)));
                    case DELETE -> {
                        keys.delete(find(request, caller, segments.get(1)));
                        yield Response.status(204);
                    }
                    default -> throw Problem.notAllowed("PATCH, DELETE").raise();
                };
            default -> throw Problem.of(ProblemCode.NOT_FOUND).raise();
        };
    }

    /// Accounts of one name from different sources are different, and keys belong to those of one realm.
    private void requireManager(Request request, Account caller) {
        var credentials = request.require(Credentials.KEY).requireLogIn();
        if (isRoot(caller)) {
            return;
        }
        if (!settings.selfService()) {
            throw forbidden("keys are handed out by administrators");
        }
        if (!credentials.realm().equals(settings.realm())) {
            throw forbidden("keys belong to accounts of " + settings.realm() + ", and this one is from elsewhere");
        }
    }

    private static Response.Ready json(int status, BsonValue value) {
        return Response.json(status, JsonEncoder.of(JsonMode.RELAXED).encodeToString(value))
                .with("Cache-Control", "no-store");
    }

    /// Keys that the caller manages. A key of a former account with the caller's name is not one of them.
    private Predicate<ApiKey> managed(Request request, Account caller) {
        if (isRoot(caller)) {
            return _ -> true;
        }
        var own = realm.identified(request, caller.name(), true);
        return key -> own.filter(key::isOf).isPresent();
    }

    private Response list(Request request, Account caller) {
        var account = isRoot(caller) ? request.query().first("account") : Optional.of(caller.name());
        var managed = managed(request, caller);
        return json(
                200,
                new BsonArray(keys.list(account).stream()
                        .filter(managed)
                        .map(ApiKey::toShow)
                        .toList()));
    }

    /// Unknown keys and keys of other accounts give the same response.
    private ApiKey find(Request request, Account caller, String handle) {
        return Optional.of(handle)
                .filter(ObjectId::isValid)
                .map(ObjectId::new)
                .flatMap(keys::byHandle)
                .filter(managed(request, caller))
                .orElseThrow(() -> new ProblemException(ProblemCode.NOT_FOUND, "there is no such key"));
    }

    private Response create(Request request, Account caller) {
        boolean root = isRoot(caller);
        var content = KeyContent.of(request, KeyContent.OF_NEW);
        var account = content.text("account").orElse(caller.name());
        if (!account.equals(caller.name()) && !root) {
            throw forbidden("only administrators make keys for others");
        }
        var owner = realm.stored(request, account).map(Realm.Stored::account).orElseThrow(ApiKeyService::noSuchAccount);
        // a key of another account never has more roles than its creator has now
        var roles = content.roles(root ? owner.roles() : caller.roles());
        if (content.text("key").isPresent() && !root) {
            throw forbidden("only administrators import keys");
        }
        var key = content.key().orElseGet(KeyForm::random);
        var now = Instant.now();
        var end = content.end(now, settings);
        var ranges = content.ranges();
        var name = content.name();
        if (keys.count(account) >= MAX_KEYS) {
            throw tooMany();
        }
        var identity = realm.identify(request, account)
                .flatMap(Realm.Identified::identity)
                .orElseThrow(ApiKeyService::noSuchAccount);
        var made = new ApiKey(
                form.digest(key),
                new ObjectId(),
                KeyForm.hint(key),
                account,
                identity,
                root ? roles : Optional.of(roles.orElse(caller.roles())),
                name.orElse(""),
                now,
                caller.name(),
                Optional.empty(),
                end,
                false,
                ranges);
        if (!keys.insert(made)) {
            throw new ProblemException(ProblemCode.CONFLICT, "there is such a key already");
        }
        if (keys.count(account) > MAX_KEYS) { // together with those made at the same time, also by other servers
            keys.delete(made);
            throw tooMany();
        }
        var answer = new BsonDocument("key", new BsonString(key));
        answer.putAll(made.toShow());
        return json(201, answer);
    }

    private static RuntimeException tooMany() {
        return forbidden("an account has at most " + MAX_KEYS + " keys: delete those that are not needed");
    }

    private static RuntimeException noSuchAccount() {
        return KeyContent.invalid("account", "there is no such account");
    }

    private Response change(Request request, ApiKey key) {
        var changes = KeyContent.of(request, KeyContent.OF_CHANGE).changes(key);
        if (changes.isEmpty()) {
            throw new ProblemException(
                    ProblemCode.CONTENT_INVALID, "nothing to change: name, disabled or an earlier expiresAt");
        }
        keys.update(key, changes);
        return Response.status(204);
    }

    private static RuntimeException forbidden(String why) {
        return new ProblemException(ProblemCode.FORBIDDEN, why);
    }

    /// The content of a request that creates or changes a key. Every accessor refuses a value of a wrong
    /// type, or one out of its bounds, by the name of the field (400).
    private record KeyContent(BsonDocument json) {
        private static final int MAX_BYTES = 16 << 10;
        private static final int MAX_NAME = 200;
        private static final int MAX_RANGES = 50;

        static final Set<String> OF_NEW = Set.of("account", "days", "expiresAt", "from", "key", "name", "roles");

        static final Set<String> OF_CHANGE = Set.of("disabled", "expiresAt", "name");

        /// Refuses other keys than these: a limit under another name would not hold.
        static KeyContent of(Request request, Set<String> known) {
            var content = of(request);
            for (var name : content.json.keySet()) {
                if (!known.contains(name)) {
                    throw invalid(
                            name,
                            "unknown"
                                    + Nearest.to(name, known)
                                            .map(near -> "; did you mean " + near + "?")
                                            .orElse("; it may have " + String.join(", ", new TreeSet<>(known))));
                }
            }
            return content;
        }

        private static KeyContent of(Request request) {
            return new KeyContent(request.body().json(MAX_BYTES));
        }

        /// Empty also for a name that is too long.
        Optional<String> name() {
            return text("name").filter(name -> name.length() <= MAX_NAME);
        }

        /// @param allowed the roles of which the key may have some
        Optional<List<String>> roles(List<String> allowed) {
            var roles = texts("roles");
            if (roles.isPresent() && !allowed.containsAll(roles.get())) {
                throw invalid("roles", "must be some of the account's roles");
            }
            return roles;
        }

        /// A key that was created elsewhere, if the content has one.
        Optional<String> key() {
            var key = text("key");
            if (key.isPresent() && !KeyForm.isImportable(key.get())) {
                throw invalid("key", "must have 32 to 256 printable ASCII characters");
            }
            return key;
        }

        /// The end of a new key; empty if it does not end.
        Optional<Instant> end(Instant now, ApiKeyService.Settings settings) {
            var latest = now.plus(settings.longest());
            Optional<Instant> end;
            if (json.containsKey("days")) {
                if (!json.get("days").isNumber()
                        || !(json.get("days").asNumber().doubleValue() > 0)) {
                    throw invalid("days", "must be a number greater than 0");
                }
                double days = Math.min(json.get("days").asNumber().doubleValue(), 1_000_000);
                end = Optional.of(now.plusSeconds((long) (days * 86_400)));
            } else {
                end = time("expiresAt");
            }
            if (end.isEmpty() && !settings.unlimited()) {
                throw invalid("expiresAt", "say when the key ends, or after how many days: {\"days\": 90}");
            }
            if (end.filter(latest::isBefore).isPresent()) {
                throw json.containsKey("days")
                        ? invalid(
                                "days", "must be at most " + settings.longest().toDays())
                        : invalid(
                                "expiresAt",
                                "must be within " + settings.longest().toDays() + " days");
            }
            if (end.filter(time -> !time.isAfter(now)).isPresent()) {
                throw invalid("expiresAt", "is over");
            }
            return end;
        }

        List<String> ranges() {
            var ranges = texts("from").orElse(List.of());
            if (ranges.size() > MAX_RANGES
                    || ranges.stream().anyMatch(range -> ApiKey.range(range).isEmpty())) {
                throw invalid("from", "must be a list of address ranges such as 192.0.2.0/24");
            }
            return ranges;
        }

        /// What changes of a stored key: its name, whether it is disabled, or an earlier end.
        BsonDocument changes(ApiKey key) {
            var changes = new BsonDocument();
            name().ifPresent(name -> changes.append("name", new BsonString(name)));
            if (json.get("disabled") instanceof BsonBoolean disabled) {
                changes.append("disabled", disabled);
            } else if (json.containsKey("disabled")) {
                throw invalid("disabled", "must be true or false");
            }
            time("expiresAt").ifPresent(end -> {
                if (key.expiresAt().filter(end::isAfter).isPresent()) {
                    throw invalid("expiresAt", "can only become earlier");
                }
                changes.append("expiresAt", new BsonDateTime(end.toEpochMilli()));
            });
            return changes;
        }

        Optional<String> text(String name) {
            var value = json.get(name);
            if (value == null) {
                return Optional.empty();
            }
            if (!value.isString()) {
                throw invalid(name, "must be a text");
            }
            return Optional.of(value.asString().getValue());
        }

        private Optional<List<String>> texts(String name) {
            var value = json.get(name);
            if (value == null) {
                return Optional.empty();
            }
            return Optional.of(BsonTexts.only(value).orElseThrow(() -> invalid(name, "must be a list of texts")));
        }

        private Optional<Instant> time(String name) {
            var value = json.get(name);
            if (value == null) {
                return Optional.empty();
            }
            if (value.isDateTime()) {
                return Optional.of(Instant.ofEpochMilli(value.asDateTime().getValue()));
            }
            try {
                return Optional.of(Instant.parse(text(name).orElseThrow()));
            } catch (DateTimeException _) {
                throw invalid(name, "must be a time such as 2027-01-01T00:00:00Z");
            }
        }

        static RuntimeException invalid(String name, String why) {
            return new ProblemException(ProblemCode.CONTENT_INVALID, name + ": " + why);
        }
    }
}
