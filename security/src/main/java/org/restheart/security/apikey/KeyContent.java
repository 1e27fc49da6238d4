package org.restheart.security.apikey;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Nearest;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.security.apikey.ApiKey.AddressRange;

/// The content of a request that creates or changes a key. Every accessor refuses a value of a wrong type, or one
/// out of its bounds, by the name of the field (400).
record KeyContent(BsonDocument json) {
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
        if (request.body().isLongerThan(MAX_BYTES)) {
            throw new ProblemException(ProblemCode.CONTENT_TOO_LARGE, "more than " + MAX_BYTES + " bytes");
        }
        try {
            return new KeyContent(JsonParser.parseDocument(request.body().bytes()));
        } catch (MalformedJsonException _) {
            throw new ProblemException(ProblemCode.CONTENT_INVALID, "the content must be a JSON object");
        }
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
            if (!json.get("days").isNumber() || !(json.get("days").asNumber().doubleValue() > 0)) {
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
                    ? invalid("days", "must be at most " + settings.longest().toDays())
                    : invalid(
                            "expiresAt", "must be within " + settings.longest().toDays() + " days");
        }
        if (end.filter(time -> !time.isAfter(now)).isPresent()) {
            throw invalid("expiresAt", "is over");
        }
        return end;
    }

    List<String> ranges() {
        var ranges = texts("from").orElse(List.of());
        if (ranges.size() > MAX_RANGES
                || ranges.stream().anyMatch(range -> AddressRange.parse(range).isEmpty())) {
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
