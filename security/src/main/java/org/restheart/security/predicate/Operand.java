package org.restheart.security.predicate;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.text.Words;

/// A value in a predicate. It is resolved when the predicate is evaluated and compared as a value: text of clients is
/// never parsed as part of the language.
sealed interface Operand {
    /// The value as text, or null if the request has none.
    ///
    /// @throws Unanswerable if it has several
    @Nullable
    String text(Attempt attempt);

    /// The value where a list is expected: an array gives its scalar elements.
    default List<String> texts(Attempt attempt) {
        var text = text(attempt);
        return text == null ? List.of() : List.of(text);
    }

    /// Written in the rule.
    record Literal(String value) implements Operand {
        @Override
        public String text(Attempt attempt) {
            return value;
        }
    }

    /// `%m` and its like.
    record Attribute(RequestAttribute name) implements Operand {
        @Override
        public @Nullable String text(Attempt attempt) {
            return name.read(attempt);
        }
    }

    /// `%{i,Name}`.
    record Header(String name) implements Repeatable {
        /// Which clients and proxies may split (RFC 9110, 5.3), and no service reads otherwise than as
        /// one list.
        private static final Set<String> LISTS = Words.of("""
                accept accept-charset accept-encoding accept-language cache-control connection forwarded if-match
                if-none-match via x-forwarded-for""");

        @Override
        public List<String> texts(Attempt attempt) {
            var lines = attempt.request().headers().all(name);
            if (lines.size() < 2) {
                return lines;
            }
            var lowerCase = name.toLowerCase(Locale.ROOT);
            if (lowerCase.equals("cookie")) {
                return List.of(
                        String.join("; ", lines)); // browsers send one line for each over HTTP/2 (RFC 9113, 8.2.3)
            }
            return LISTS.contains(lowerCase) ? List.of(String.join(", ", lines)) : lines;
        }
    }

    /// `%{q,name}`.
    record Parameter(String name) implements Repeatable {
        @Override
        public List<String> texts(Attempt attempt) {
            return attempt.parameter(name);
        }
    }

    /// `%{c,name}`.
    record Cookie(String name) implements Repeatable {
        @Override
        public List<String> texts(Attempt attempt) {
            return Cookies.all(attempt.request().headers(), name);
        }
    }

    /// `${name}`, bound by a template or a regular expression further left.
    record Binding(String name) implements Operand {
        @Override
        public @Nullable String text(Attempt attempt) {
            return attempt.binding(name);
        }
    }

    /// A concatenation such as `/t/${id}`; without a value if any part has none.
    record Joined(List<Operand> parts) implements Operand {
        @Override
        public @Nullable String text(Attempt attempt) {
            var joined = new StringBuilder();
            for (var part : parts) {
                var text = part.text(attempt);
                if (text == null) {
                    return null;
                }
                joined.append(text);
            }
            return joined.toString();
        }
    }

    /// `@user.a.b`.
    record UserProperty(String path) implements Variable {
        @Override
        public @Nullable BsonValue value(Attempt attempt) {
            var account = attempt.account();
            return account == null ? null : Values.at(account.properties(), path);
        }

        @Override
        public @Nullable String text(Attempt attempt) {
            var text = Variable.super.text(attempt);
            if (text != null && path.equals("_id")) {
                requireSameId(text, attempt);
            }
            return text;
        }

        /// Where accounts have other names than their ids, one may have the id that spells the id of
        /// another type: a path, with `id_type`, means either.
        private void requireSameId(String own, Attempt attempt) {
            var account = attempt.account();
            var target = attempt.request().attribute(DataTarget.KEY);
            var id = target.flatMap(DataTarget::id);
            var mine = value(attempt);
            if (account == null || mine == null || id.isEmpty() || !account.hasOtherName()) {
                return;
            }
            var segments = attempt.path().segments();
            var named = segments.get(segments.size() - (target.get().kind() == ResourceKind.FILE_BINARY ? 2 : 1));
            if (named.equals(own) && !Values.equal(mine, id.get())) {
                throw new Unanswerable("the account's id, and that in the path, are of different types");
            }
        }
    }

    /// `@request.body.a.b`.
    record BodyProperty(String path) implements Variable {
        @Override
        public @Nullable BsonValue value(Attempt attempt) {
            return attempt.value(path);
        }
    }

    record Constant(BsonValue value) implements Variable {
        @Override
        public BsonValue value(Attempt attempt) {
            return value;
        }
    }

    /// An operand that a request may contain several times. It is not known which of its values a service uses.
    sealed interface Repeatable extends Operand {
        @Override
        List<String> texts(Attempt attempt);

        @Override
        default @Nullable String text(Attempt attempt) {
            var values = texts(attempt);
            if (values.isEmpty()) {
                return null;
            }
            var first = values.getFirst();
            if (!values.stream().allMatch(first::equals)) {
                throw new Unanswerable("several values");
            }
            return first;
        }
    }

    /// An operand that is a BSON value.
    sealed interface Variable extends Operand {
        @Nullable
        BsonValue value(Attempt attempt);

        @Override
        default @Nullable String text(Attempt attempt) {
            var value = value(attempt);
            if (value instanceof BsonArray array && !texts(array).isEmpty()) {
                throw new Unanswerable("several values");
            }
            return value == null ? null : Values.text(value);
        }

        @Override
        default List<String> texts(Attempt attempt) {
            return value(attempt) instanceof BsonArray array ? texts(array) : Operand.super.texts(attempt);
        }

        private static List<String> texts(BsonArray array) {
            return array.stream()
                    .flatMap(element -> Optional.ofNullable(Values.text(element)).stream())
                    .toList();
        }
    }

    /// The named attributes of a request in predicates, such as `%m` or `%{METHOD}`.
    enum RequestAttribute {
        METHOD("%m", "%{METHOD}"),
        REQUEST_URI("%U", "%{REQUEST_URL}"),
        RELATIVE_PATH("%R", "%{RELATIVE_PATH}"),
        QUERY_STRING("%q", "%{QUERY_STRING}"),
        BARE_QUERY_STRING("%{BARE_QUERY_STRING}"),
        REMOTE_USER("%u", "%{REMOTE_USER}"),
        REMOTE_IP("%a", "%{REMOTE_IP}"),
        REMOTE_HOST("%h", "%{REMOTE_HOST}"),
        RESPONSE_CODE("%s", "%{RESPONSE_CODE}"),
        PROTOCOL("%H", "%{PROTOCOL}"),
        SCHEME("%{SCHEME}"),
        HOST_AND_PORT("%{HOST_AND_PORT}"),
        LOCAL_SERVER_NAME("%v", "%{LOCAL_SERVER_NAME}"),
        LOCAL_IP("%A", "%{LOCAL_IP}"),
        LOCAL_PORT("%p", "%{LOCAL_PORT}"),
        SECURE("%{SECURE}");

        private final String letter;
        private final String name;

        RequestAttribute(String letter, String name) {
            this.letter = letter;
            this.name = name;
        }

        RequestAttribute(String name) {
            this(name, name);
        }

        static Optional<RequestAttribute> of(String token) {
            return Arrays.stream(values())
                    .filter(attribute -> token.equals(attribute.letter) || token.equals(attribute.name))
                    .findFirst();
        }

        @Nullable
        String read(Attempt attempt) {
            var request = attempt.request();
            var account = attempt.account();
            var connection = request.connection();
            return switch (this) {
                case METHOD -> request.method().name();
                case REQUEST_URI -> attempt.path().raw();
                case RELATIVE_PATH -> attempt.path().decoded();
                case QUERY_STRING -> attempt.query().isEmpty() ? "" : "?" + attempt.query();
                case BARE_QUERY_STRING -> attempt.query();
                case REMOTE_USER -> account == null ? null : account.name();
                case REMOTE_IP -> connection.peerAddress();
                case REMOTE_HOST -> connection.peer().getHostString();
                case RESPONSE_CODE -> "200"; // no response yet
                case PROTOCOL -> connection.protocol();
                case SCHEME -> connection.scheme();
                case HOST_AND_PORT -> connection.hostAndPort();
                case LOCAL_SERVER_NAME -> connection.host();
                case LOCAL_IP -> connection.localAddress();
                case LOCAL_PORT -> Integer.toString(connection.local().getPort());
                case SECURE -> Boolean.toString(connection.isSecure());
            };
        }
    }
}
