package org.restheart.scripts;

import com.mongodb.client.MongoClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.Source;
import org.graalvm.polyglot.Value;
import org.graalvm.polyglot.proxy.ProxyExecutable;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// One version of a script, with contexts that one request at a time uses. Thread-safe.
final class Script {
    private static final Logger LOG = LoggerFactory.getLogger(Script.class);

    /// For what a script does when it is loaded.
    private static final int EVALUATION_MILLIS = 30_000;

    static final JsonWriterSettings JSON = json(0);

    private final ScriptThreads threads;
    private final Place place;
    private final Path folder;
    private final Source source;
    private final Options options;
    private final ConcurrentLinkedDeque<Instance> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean isRetired;

    /// JSON with the numbers that JavaScript has, unless it would change them.
    ///
    /// @param most characters, beyond which it is cut off; 0 for any number
    static JsonWriterSettings json(int most) {
        return JsonWriterSettings.builder()
                .outputMode(JsonMode.RELAXED)
                .maxLength(most)
                .int64Converter((number, writer) -> {
                    if (-(1L << 53) < number && number < 1L << 53) {
                        writer.writeNumber(Long.toString(number));
                    } else {
                        writer.writeStartObject();
                        writer.writeName("$numberLong");
                        writer.writeString(Long.toString(number));
                        writer.writeEndObject();
                    }
                })
                .build();
    }

    /// Where a script is, and what it works with.
    ///
    /// @param args of all scripts, by their names
    record Place(Path folder, Path file, boolean isInterceptor, Optional<MongoClient> mongo, BsonDocument args) {}

    /// What a script exports about itself.
    ///
    /// @param uri empty for an interceptor
    record Options(String name, String uri, boolean isSecured, boolean isExact, boolean isTyped) {
        private static final Set<String> TYPED = Set.of("BsonInterceptor", "JsonInterceptor", "MongoInterceptor");

        /// Whether both are at one path, for the same callers.
        boolean isAt(Options other) {
            return uri.equals(other.uri) && isSecured == other.isSecured && isExact == other.isExact;
        }

        private static Options of(Value exports, boolean isInterceptor) {
            var options = exports.getMember("options");
            if (options == null || !options.hasMembers()) {
                throw new IllegalArgumentException("it exports no options");
            }
            text(options, "description");
            var uri = isInterceptor ? "" : text(options, "uri");
            if (!isInterceptor && !uri.startsWith("/")) {
                throw new IllegalArgumentException("options.uri must start with /");
            }
            oneOf(options, "interceptPoint", Set.of("REQUEST_AFTER_AUTH"));
            var kind = oneOf(
                    options,
                    "pluginClass",
                    Set.of("StringInterceptor", "BsonInterceptor", "JsonInterceptor", "MongoInterceptor"));
            var match = oneOf(options, "matchPolicy", Set.of("PREFIX", "EXACT"));
            for (var function : isInterceptor ? Set.of("handle", "resolve") : Set.of("handle")) {
                if (exports.getMember(function) == null
                        || !exports.getMember(function).canExecute()) {
                    throw new IllegalArgumentException("it exports no function " + function);
                }
            }
            var secured = options.getMember("secured");
            if (secured != null && !secured.isBoolean()) {
                throw new IllegalArgumentException("options.secured must be true or false");
            }
            return new Options(
                    text(options, "name"),
                    uri,
                    secured == null || secured.asBoolean(),
                    match.equals("EXACT"),
                    TYPED.contains(kind));
        }

        private static String text(Value options, String member) {
            var value = options.getMember(member);
            if (value == null || !value.isString() || value.asString().isBlank()) {
                throw new IllegalArgumentException("options." + member + " must be a text");
            }
            return value.asString();
        }

        private static String oneOf(Value options, String member, Set<String> values) {
            var value = options.getMember(member);
            var text = value == null ? "" : value.isString() ? value.asString() : "?";
            if (!text.isEmpty() && !values.contains(text)) {
                throw new IllegalArgumentException("options." + member + " must be one of " + values);
            }
            return text;
        }
    }

    /// A context in which the script has been evaluated.
    ///
    /// @param call takes the request and its content, and returns what the script says, all of them JSON
    private record Instance(Context context, Options options, Value call) {}

    /// Evaluates the script.
    ///
    /// @throws IllegalArgumentException if it cannot be used
    Script(ScriptThreads threads, Place place) throws IOException {
        this.threads = threads;
        this.place = place;
        this.folder = place.folder.toRealPath();
        this.source = Source.newBuilder("js", place.file.toRealPath().toFile())
                .mimeType("application/javascript+module")
                .build();
        var first = threads.run(this::open);
        this.options = first.options;
        idle.push(first);
    }

    Options options() {
        return options;
    }

    boolean isInterceptor() {
        return place.isInterceptor;
    }

    Path folder() {
        return place.folder;
    }

    private Instance open() {
        var context = threads.open(folder);
        var opened = new AtomicReference<Instance>();
        try {
            var bridge = context.eval(threads.bridge())
                    .execute((ProxyExecutable) this::log, (ProxyExecutable) this::command);
            if (!threads.within(context, EVALUATION_MILLIS, () -> {
                var exports = context.eval(source);
                var options = Options.of(exports, place.isInterceptor);
                var args = place.args.getDocument(options.name, new BsonDocument());
                opened.set(new Instance(context, options, bridge.execute(exports, args.toJson(JSON))));
            })) {
                throw new IllegalArgumentException("its evaluation takes too long");
            }
            return Objects.requireNonNull(opened.get());
        } catch (PolyglotException e) {
            context.close(true);
            throw new IllegalArgumentException(where(e), e);
        } catch (RuntimeException e) {
            context.close(true);
            throw e;
        }
    }

    private @Nullable Object log(Value... said) {
        LOG.atLevel(Level.valueOf(said[0].asString().toUpperCase(Locale.ROOT)))
                .log("{}: {}", place.file.getFileName(), said[1].asString());
        return null;
    }

    /// On a virtual thread: one of the operating system would wait for MongoDB also when it is interrupted.
    private Object command(Value... asked) {
        var database = place.mongo
                .orElseThrow(() -> new IllegalStateException("there is no MongoDB (mclient)"))
                .getDatabase(asked[0].asString());
        var command = BsonDocument.parse(asked[1].asString());
        var answer = new FutureTask<>(
                () -> database.runCommand(command, BsonDocument.class).toJson(JSON));
        Thread.ofVirtual().name("plugin scripts command").start(answer);
        try {
            return answer.get();
        } catch (InterruptedException e) {
            answer.cancel(true);
            throw new IllegalStateException("interrupted while MongoDB was asked", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
        }
    }

    /// What the script makes of a request.
    ///
    /// @param content empty if there is none that it may see
    /// @throws org.restheart.http.ProblemException 500 if it fails, 503 if it takes too long or too many run
    BsonDocument call(BsonDocument asked, Optional<String> content) {
        asked.append("isTyped", BsonBoolean.valueOf(options.isTyped));
        return threads.run(() -> {
            var present = idle.poll();
            var instance = present == null ? open() : present;
            boolean isGood = false;
            try {
                var said = new AtomicReference<String>();
                isGood = threads.within(
                        instance.context,
                        threads.millis(),
                        () -> said.set(instance.call
                                .execute(asked.toJson(JSON), content.orElse(null))
                                .asString()));
                if (said.get() == null) {
                    LOG.error("script {} was ended after {} ms", options.name, threads.millis());
                    throw Problem.overloaded("a script has taken too long").raise();
                }
                return BsonDocument.parse(said.get());
            } catch (PolyglotException e) {
                throw failure(e);
            } finally {
                giveBack(instance, isGood);
            }
        });
    }

    private RuntimeException failure(PolyglotException e) {
        LOG.error("script {} failed: {}", options.name, where(e));
        return Problem.of(ProblemCode.INTERNAL, "a script has failed").raise(e);
    }

    /// The message with file and line.
    private static String where(PolyglotException e) {
        var frame = Stream.concat(
                        Stream.ofNullable(e.getSourceLocation()),
                        StreamSupport.stream(e.getPolyglotStackTrace().spliterator(), false)
                                .map(PolyglotException.StackFrame::getSourceLocation))
                .filter(Objects::nonNull)
                .findFirst();
        return frame.map(at -> at.getSource().getName() + ":" + at.getStartLine() + ": ")
                        .orElse("")
                + e.getMessage();
    }

    private void giveBack(Instance instance, boolean isGood) {
        if (isGood && !isRetired) {
            idle.push(instance);
        } else {
            instance.context.close(true);
        }
        if (isRetired) {
            retire(); // meanwhile
        }
    }

    /// Lets requests that it has begun end, and no more begin.
    void retire() {
        isRetired = true;
        for (var instance = idle.poll(); instance != null; instance = idle.poll()) {
            instance.context.close(true);
        }
    }
}
