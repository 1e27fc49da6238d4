package org.restheart.security.apikey;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.data.Access;
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
import org.restheart.security.predicate.KindAttempt;
import org.restheart.security.predicate.PathPattern;
import org.restheart.security.realm.Realm;

/// `/_apikeys`: creates, lists and revokes keys. The root role may do so for every account, others for themselves; the
/// service implements the rule that allows it.
public final class ApiKeyService implements Service, Authorizer {
    public static final String URI = "/_apikeys";

    private static final PathPattern PATH = PathPattern.ofUri(URI);
    private static final int MAX_KEYS = 1_000;

    private final ApiKeys keys;
    private final KeyForm form;
    private final Realm realm;
    private final Settings settings;

    /// @param rootRole the role that may create keys for every account and import keys
    /// @param unlimited whether keys that do not expire may be created
    /// @param selfService whether accounts may create their own keys
    /// @param realm by which credentials refer to the realm of the keys' accounts
    public record Settings(
            Optional<String> rootRole, boolean unlimited, Duration longest, boolean selfService, String realm) {}

    public ApiKeyService(ApiKeys keys, KeyForm form, Realm realm, Settings settings) {
        this.keys = keys;
        this.form = form;
        this.realm = realm;
        this.settings = settings;
    }

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
                    default -> Response.notAllowed("GET, POST");
                };
            case 2 ->
                switch (request.method()) {
                    case PATCH -> change(request, find(request, caller, segments.get(1)));
                    case DELETE -> {
                        keys.delete(find(request, caller, segments.get(1)));
                        yield Response.status(204);
                    }
                    default -> Response.notAllowed("PATCH, DELETE");
                };
            default -> Response.status(404);
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
}
