package org.restheart.dataapi;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.text.Nearest;
import org.restheart.text.ShortText;
import org.restheart.text.Words;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/// The JSON object of an action, split into members without building trees: each member remains the JSON that was sent,
/// for requests of the REST API. Confined to one request.
final class ActionBody {
    private static final int MAX_QUOTED = 100;
    private static final int MAX_DEPTH = 101; // 100 in each member
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNumberLength(1_000)
                    .build())
            .build();

    private final Action action;
    private final byte[] json;
    private final Map<String, Member> members;
    private final Map<String, BsonValue> parsed = new HashMap<>();

    /// The position of a value, its first token, and why it cannot be stored, if so.
    private record Member(int from, int to, JsonToken first, Optional<String> unstorable) {}

    private ActionBody(Action action, byte[] json, Map<String, Member> members) {
        this.action = action;
        this.json = json;
        this.members = members;
    }

    /// The keys of all actions: clients may build the bodies of all actions in one place, so keys of other
    /// actions are ignored.
    private static final Set<String> KEYS = Words.of("""
            dataSource database collection filter projection sort limit skip document documents update replacement
            upsert pipeline
            """);

    /// @throws Refusal 400 for anything but a JSON object, and for misspelt keys. Other unknown keys are
    ///     ignored, as in the Atlas Data API
    static ActionBody parse(Action action, byte[] json) {
        var members = new HashMap<String, Member>();
        try (var parser = JSON.createParser(ObjectReadContext.empty(), json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw unreadable("it is not a JSON object");
            }
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                var name = parser.currentName();
                var first = parser.nextToken();
                if (!KEYS.contains(name)) {
                    var meant = Nearest.question(shortened(name), KEYS);
                    if (!meant.isEmpty()) {
                        throw Refusal.parameter(action.failure() + "unknown field '" + shortened(name) + "'" + meant);
                    }
                    skip(parser);
                    continue;
                }
                int from = (int) parser.currentTokenLocation().getByteOffset();
                var unstorable = skip(parser);
                members.put(
                        name, new Member(from, (int) parser.currentLocation().getByteOffset(), first, unstorable));
            }
            if (parser.nextToken() != null) {
                throw unreadable("something follows the JSON object");
            }
        } catch (JacksonException e) {
            var at = e.getLocation();
            throw unreadable(at == null ? "it is not JSON" : "it is not JSON at byte " + at.getByteOffset());
        }
        return new ActionBody(action, json, members);
    }

    private static String shortened(String name) {
        return ShortText.of(name, MAX_QUOTED);
    }

    private static Refusal unreadable(String reason) {
        return Refusal.parameter("Failed to parse request body: " + reason);
    }

    /// Skips to the end of the value. Names with dots cannot be stored: REST would interpret them as paths.
    private static Optional<String> skip(tools.jackson.core.JsonParser parser) {
        var unstorable = Optional.<String>empty();
        if (!parser.currentToken().isStructStart()) {
            parser.finishToken();
            return unstorable;
        }
        for (int depth = 1; depth > 0; ) {
            var token = parser.nextToken();
            if (token == null) {
                throw unreadable("it is cut off");
            }
            if (token.isStructStart()) {
                depth++;
            } else if (token.isStructEnd()) {
                depth--;
            } else if (token == JsonToken.PROPERTY_NAME
                    && unstorable.isEmpty()
                    && parser.currentName().indexOf('.') >= 0) {
                unstorable = Optional.of("field names must not contain '.'");
            }
        }
        return unstorable;
    }

    boolean has(String name) {
        var member = members.get(name);
        return member != null && member.first != JsonToken.VALUE_NULL;
    }

    private Member require(String name) {
        var member = members.get(name);
        if (member == null || member.first == JsonToken.VALUE_NULL) {
            throw new Refusal(400, "MissingParameter", action.failure() + "must provide a '" + name + "' field");
        }
        return member;
    }

    private Refusal wrongType(String name, String wanted) {
        return Refusal.parameter(action.failure() + "'" + name + "' must be " + wanted);
    }

    /// @throws Refusal 400 if it is missing or no text
    String text(String name) {
        if (!(value(name, require(name)) instanceof BsonString text)) {
            throw wrongType(name, "a string");
        }
        return text.getValue();
    }

    /// @param absent if it is missing or 0
    /// @throws Refusal 400 for anything but a non-negative integer
    long integer(String name, long absent) {
        if (!has(name)) {
            return absent;
        }
        var value = value(name, require(name));
        boolean isWhole = value.isNumber()
                && value.asNumber().doubleValue() == Math.rint(value.asNumber().doubleValue());
        if (!isWhole || value.asNumber().doubleValue() < 0) {
            throw wrongType(name, "an integer, 0 or greater");
        }
        long number = value.asNumber().longValue();
        return number == 0 ? absent : number;
    }

    boolean flag(String name) {
        if (!has(name)) {
            return false;
        }
        var value = value(name, require(name));
        if (!value.isBoolean()) {
            throw wrongType(name, "a boolean");
        }
        return value.asBoolean().getValue();
    }

    /// Parsed once, since filters and projections are asked for several times.
    private BsonValue value(String name, Member member) {
        var known = parsed.get(name);
        if (known != null) {
            return known;
        }
        try {
            var value = JsonParser.parse(slice(member));
            parsed.put(name, value);
            return value;
        } catch (MalformedJsonException e) {
            throw Refusal.parameter(action.failure() + "'" + name + "': " + e.getMessage());
        }
    }

    private byte[] slice(Member member) {
        return Arrays.copyOfRange(json, member.from, member.to);
    }

    /// An object, as JSON; empty if it is missing or has no members.
    ///
    /// @throws Refusal 400
    Optional<String> object(String name) {
        if (!has(name)) {
            return Optional.empty();
        }
        var text = new String(requireObject(name), StandardCharsets.UTF_8);
        return Optional.of(text).filter(object -> !document(name).isEmpty());
    }

    /// The object as a document; empty if it is missing.
    BsonDocument document(String name) {
        if (!has(name)) {
            return new BsonDocument();
        }
        var member = members.get(name);
        if (member == null || !(value(name, member) instanceof BsonDocument document)) {
            throw wrongType(name, "an object");
        }
        return document;
    }

    byte[] requireObject(String name) {
        return slice(require(name, JsonToken.START_OBJECT, "an object"));
    }

    byte[] requireArray(String name) {
        return slice(require(name, JsonToken.START_ARRAY, "an array"));
    }

    private Member require(String name, JsonToken first, String wanted) {
        var member = require(name);
        if (member.first != first) {
            throw wrongType(name, wanted);
        }
        return member;
    }

    /// An object, or an array of objects, to be stored as it is.
    byte[] requireStorable(String name, JsonToken first) {
        var member = require(name, first, first == JsonToken.START_OBJECT ? "an object" : "an array of objects");
        member.unstorable.ifPresent(reason -> {
            throw Refusal.parameter(action.failure() + reason);
        });
        return slice(member);
    }

    /// An update: an object, or a pipeline.
    byte[] requireUpdate(String name) {
        var member = require(name);
        if (member.first == JsonToken.START_ARRAY) {
            return slice(member);
        }
        requireObject(name);
        var operators = document(name).keySet();
        if (operators.isEmpty() || !operators.stream().allMatch(key -> key.startsWith("$"))) {
            throw Refusal.parameter(action.failure() + "update document must have keys that begin with '$' only");
        }
        return slice(member);
    }
}
