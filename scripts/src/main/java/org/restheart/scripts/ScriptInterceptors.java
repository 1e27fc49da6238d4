package org.restheart.scripts;

import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonWriterSettings;
import org.restheart.data.Operation.Write;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.access.DataTarget;
import org.restheart.plugin.Verdict;

/// Asks scripts about an operation on data, one after the other.
final class ScriptInterceptors {
    private static final JsonWriterSettings BOUNDED = Script.json(ScriptService.MOST + 1);

    private ScriptInterceptors() {}

    static Verdict judge(Collection<Script> scripts, Request request, DataTarget target) {
        var asked = ScriptService.asked(request, "mongo")
                .append("kind", new BsonString(target.kind().name()));
        target.db().ifPresent(db -> asked.append("db", new BsonString(db)));
        target.collection().ifPresent(collection -> asked.append("collection", new BsonString(collection)));
        boolean hasContent = target.operation() instanceof Write && target.operation() != Write.UPLOAD;
        var content =
                hasContent ? Optional.of(request.require(RequestContent.KEY).value()) : Optional.<BsonValue>empty();
        Verdict verdict = new Verdict.Allow();
        for (var script : scripts) {
            var text = content.map(value -> text(request, value));
            var said = script.call(asked, text);
            if (said.containsKey("error")) {
                return Verdict.refuse(refusal(said));
            }
            if (content.isPresent() && said.containsKey("after")) {
                var changed = merged(content.get(), value(said, "before"), value(said, "after"));
                content = Optional.of(changed);
                verdict = new Verdict.Rewrite(changed);
            }
        }
        return verdict;
    }

    /// @throws org.restheart.http.ProblemException 413, or 503 if there is no memory
    private static String text(Request request, BsonValue content) {
        long most = 2L * ScriptService.MOST;
        request.lease().hold(most);
        var text = new BsonDocument("v", content).toJson(BOUNDED);
        if (text.length() > ScriptService.MOST) {
            throw ScriptService.tooLarge();
        }
        request.lease().hold((long) ScriptService.COPIES * text.length());
        request.lease().correct(most, 0);
        return text.substring(text.indexOf(':') + 1, text.length() - 1);
    }

    private static BsonValue value(BsonDocument said, String member) {
        return Objects.requireNonNull(
                BsonDocument.parse("{\"v\":" + said.getString(member).getValue() + "}")
                        .get("v"));
    }

    /// The original with what a script has changed: what it has not keeps its type, which JSON may not have.
    private static BsonValue merged(BsonValue original, BsonValue before, BsonValue after) {
        if (before.equals(after)) {
            return original;
        }
        if (original instanceof BsonDocument stored
                && before instanceof BsonDocument read
                && after instanceof BsonDocument written) {
            var all = new BsonDocument();
            written.forEach((key, value) -> all.append(
                    key,
                    stored.containsKey(key) && read.containsKey(key)
                            ? merged(stored.get(key), read.get(key), value)
                            : value));
            return all;
        }
        if (original instanceof BsonArray stored
                && before instanceof BsonArray read
                && after instanceof BsonArray written) {
            return new BsonArray(IntStream.range(0, written.size())
                    .mapToObj(
                            i -> i < read.size() ? merged(stored.get(i), read.get(i), written.get(i)) : written.get(i))
                    .toList());
        }
        return after;
    }

    private static Problem refusal(BsonDocument said) {
        int status = ScriptService.status(said);
        if (status < 400) {
            throw new IllegalStateException("a script has refused a request with the status " + status);
        }
        var code = Arrays.stream(ProblemCode.values())
                .filter(known -> known.status() == status)
                .findFirst()
                .orElse(status < 500 ? ProblemCode.BAD_REQUEST : ProblemCode.INTERNAL);
        var plain = Problem.of(code, said.getString("error").getValue());
        return new Problem(
                code,
                status,
                plain.message(),
                plain.cause(),
                plain.headers(),
                plain.warnings(),
                plain.hints(),
                plain.disclosure(),
                plain.unquoted(),
                plain.index());
    }
}
