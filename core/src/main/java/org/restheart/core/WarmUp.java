package org.restheart.core;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.restheart.core.config.Configuration;
import org.restheart.core.config.SecurityStores.MongoRealmConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `core.warm-up-seconds`: before `/health/ready` is 200, everyday requests exercise the code, so that the JVM has
/// compiled it when clients come. They go to a gateway of its own in this process, which listens on a port of this
/// machine, knows one account, whose password is random, and reads the same MongoDB; nothing is written. What fails is
/// only logged.
final class WarmUp {
    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

    /// As many requests at once as are coalesced, but fewer than would fill the connections of a small MongoDB.
    private static final int CLIENTS = 32;

    /// Databases and collections that are looked at for a document.
    private static final int LOOKED_AT = 20;

    /// A document that is read must be small, so that the code is exercised rather than the network.
    private static final int MOST_BYTES = 64 << 10;

    private static final int TIMEOUT_MILLIS = 10_000;

    private final InetSocketAddress address;
    private final String authorization;
    private final long end;

    /// @param path of a collection
    /// @param id of one of its documents, or of none
    private record Subject(String path, String id) {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Answer(int status, byte[] content) {}

    private WarmUp(InetSocketAddress address, String authorization, long end) {
        this.address = address;
        this.authorization = authorization;
        this.end = end;
    }

    /// Returns at the end of that time, or when the thread is interrupted.
    ///
    /// @param configuration of the gateway, whose MongoDB and limits this uses
    static void run(Configuration configuration, Duration time) {
        long end = System.nanoTime() + time.toNanos();
        var password = MongoRealmConfig.randomPassword();
        try (var gateway = Gateway.start(
                configuration.forWarmUp("warm-up", password).read().orThrow())) {
            var credentials = ("warm-up:" + password).getBytes(StandardCharsets.UTF_8);
            var warmUp =
                    new WarmUp(gateway.address(), "Basic " + Base64.getEncoder().encodeToString(credentials), end);
            int answered = warmUp.exercise();
            if (System.nanoTime() >= end) { // else the server stops
                LOG.info("Warmed up by {} requests in {} s", answered, time.toSeconds());
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("The server starts without a complete warm-up: {}", e.toString());
        }
    }

    /// @return how many requests were answered
    private int exercise() throws IOException {
        Subject subject;
        try (var connection = new Client()) {
            subject = subject(connection);
        }
        var requests = requests(subject);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var clients = Stream.generate(() -> (Callable<Integer>) () -> repeat(requests))
                    .limit(CLIENTS)
                    .toList();
            int answered = 0;
            for (var client : threads.invokeAll(clients)) {
                answered += client.get();
            }
            return answered;
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    private int repeat(List<String> requests) throws IOException {
        try (var connection = new Client()) {
            int answered = 0;
            while (System.nanoTime() < end && !Thread.interrupted()) {
                connection.ask(requests.get(answered++ % requests.size()));
            }
            return answered;
        }
    }

    /// A small document, if there is one.
    private static Subject subject(Client connection) throws IOException {
        for (var database : names(connection.ask(get("/")))) {
            for (var collection : names(connection.ask(get("/" + database)))) {
                var path = "/" + database + "/" + collection;
                var page = connection.ask(get(path + "?pagesize=1&keys=%7B%22_id%22:1%7D"));
                var found = page.status == 200 ? array(page) : new BsonArray();
                var id = found.isEmpty() ? "" : id(found.getFirst().asDocument().get("_id", BsonNull.VALUE));
                if (!id.isEmpty() && connection.ask(get(path + "/" + id)).content.length < MOST_BYTES) {
                    return new Subject(path, id);
                }
            }
        }
        return new Subject("/restheart/none", new ObjectId().toHexString());
    }

    private static List<String> names(Answer answer) {
        return answer.status == 200
                ? array(answer).stream()
                        .filter(BsonValue::isString)
                        .map(name -> name.asString().getValue())
                        .filter(name -> name.matches("[A-Za-z0-9][A-Za-z0-9_-]*"))
                        .limit(LOOKED_AT)
                        .toList()
                : List.of();
    }

    private static BsonArray array(Answer answer) {
        return BsonArray.parse(new String(answer.content, StandardCharsets.UTF_8));
    }

    /// As it is in a path; empty if it would need more than its characters.
    private static String id(BsonValue id) {
        return switch (id) {
            case BsonString text when text.getValue().matches("[A-Za-z0-9_-]+") -> text.getValue();
            case BsonValue value
            when value.isObjectId() -> value.asObjectId().getValue().toHexString();
            default -> "";
        };
    }

    /// A document that does not exist is not changed.
    private static List<String> requests(Subject subject) {
        var one = get(subject.path + "/" + subject.id);
        var page = get(subject.path + "?pagesize=5");
        var missing = new ObjectId().toHexString();
        var change = request(
                "PATCH",
                subject.path + "/" + missing + "?wm=update",
                new BsonDocument("warm", new BsonString("up")).toJson());
        return List.of(get("/ping"), one, page, one, page, change, one, page);
    }

    private static String get(String target) {
        return request("GET", target, "");
    }

    private static String request(String method, String target, String content) {
        return method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n"
                + (content.isEmpty()
                        ? "\r\n"
                        : "Content-Type: application/json\r\nContent-Length: " + content.length() + "\r\n\r\n"
                                + content);
    }

    /// One connection. Confined to one thread.
    private final class Client implements AutoCloseable {
        private final Socket socket = new Socket();
        private final InputStream in;

        Client() throws IOException {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(address, TIMEOUT_MILLIS);
            in = new BufferedInputStream(socket.getInputStream());
        }

        Answer ask(String request) throws IOException {
            var sent = request.replace(
                    "Host: localhost\r\n", "Host: localhost\r\nAuthorization: " + authorization + "\r\n");
            socket.getOutputStream().write(sent.getBytes(StandardCharsets.US_ASCII));
            int status = Integer.parseInt(line().substring(9, 12));
            int length = 0;
            for (var field = line(); !field.isEmpty(); field = line()) {
                if (field.regionMatches(true, 0, "content-length:", 0, 15)) {
                    length = Integer.parseInt(field.substring(15).trim());
                } else if (field.regionMatches(true, 0, "transfer-encoding:", 0, 18)) {
                    throw new IOException("a response is too large");
                }
            }
            return new Answer(status, in.readNBytes(length));
        }

        private String line() throws IOException {
            var line = new StringBuilder();
            for (int c = in.read(); c != '\n'; c = in.read()) {
                if (c < 0) {
                    throw new EOFException("a connection was closed");
                }
                line.append((char) c);
            }
            return line.toString().stripTrailing();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
