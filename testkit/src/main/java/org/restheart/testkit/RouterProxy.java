package org.restheart.testkit;

import com.mongodb.ConnectionString;
import com.mongodb.ServerAddress;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.jspecify.annotations.Nullable;

/// Stands in for a router (`mongos`) of a sharded cluster: forwards commands to a replica set, but says `hello` as a
/// router, answers transactions and explained queries in a router's form, refuses what a router refuses, and gives
/// prescribed replies once. It does not distribute data. Thread-safe.
///
/// Speaks `OP_MSG`, and `OP_QUERY` for the first `hello` of a connection (MongoDB's manual, "Wire Protocol").
public final class RouterProxy implements AutoCloseable {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
    private static final int OP_REPLY = 1;
    private static final int OP_QUERY = 2004;
    private static final int OP_MSG = 2013;
    private static final int HEADER = 16;
    private static final int MAX_MESSAGE = 48_000_000;
    private static final int CHECKSUM_PRESENT = 1;
    private static final int MORE_TO_COME = 1 << 1;
    private static final int EXHAUST_ALLOWED = 1 << 16;

    private static final Set<String> HELLO = Set.of("hello", "ismaster", "isMaster");
    private static final List<String> OF_REPLICA_SETS = List.of(
            "setName setVersion hosts passives arbiters primary me electionId lastWrite secondary tags topologyVersion"
                    .split(" "));
    private static final Set<String> WITHOUT_ROUTER =
            Set.of("replSetGetStatus", "replSetGetConfig", "replSetStepDown", "replSetFreeze", "applyOps");
    private static final BsonDocument RECOVERY_TOKEN = new BsonDocument("recoveredShardId", new BsonString("shard0"));

    private final String host;
    private final int target;
    private final ServerSocket listener;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Map<String, Queue<BsonDocument>> prescribed = new ConcurrentHashMap<>();
    private final Map<String, String> shardKeys = new ConcurrentHashMap<>();
    private final AtomicInteger hellos = new AtomicInteger();
    private final Set<BsonDocument> transactions = ConcurrentHashMap.newKeySet();

    private RouterProxy(ServerAddress primary) throws IOException {
        this.host = primary.getHost();
        this.target = primary.getPort();
        this.listener = new ServerSocket(0, 200, LOOPBACK);
        threads.execute(this::accept);
    }

    /// In front of a replica set of one member.
    public static RouterProxy to(String connectionString) throws IOException {
        return new RouterProxy(new ServerAddress(
                new ConnectionString(connectionString).getHosts().getFirst()));
    }

    /// Names this router alone.
    public String connectionString() {
        return "mongodb://127.0.0.1:" + listener.getLocalPort() + "/";
    }

    /// Gives the next command of a name this reply, and executes nothing.
    ///
    /// @param reply such as `{ok: 0, code: 13388, errmsg: "stale"}`
    public void replyOnce(String command, BsonDocument reply) {
        prescribed.computeIfAbsent(command, _ -> new ConcurrentLinkedQueue<>()).add(reply);
    }

    /// Refuses single writes of a collection that name neither `_id` nor this field, and upserts that do not name the
    /// field, as a router before 7.0 does.
    public void shard(String namespace, String field) {
        shardKeys.put(namespace, field);
    }

    /// How often it was asked who it is: a client that has asked twice knows it.
    public int hellos() {
        return hellos.get();
    }

    /// How many transactions were begun here.
    public int transactions() {
        return transactions.size();
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (var socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.shutdownNow();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                var client = listener.accept();
                open.add(client);
                threads.execute(() -> serve(client));
            } catch (IOException _) {
                return; // closed
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                var server = new Socket(host, target)) {
            open.add(server);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            var requests = new LinkedBlockingQueue<Optional<Message>>();
            threads.execute(() -> receive(client, requests, server));
            var fromServer = new DataInputStream(new BufferedInputStream(server.getInputStream()));
            for (var next = requests.take(); next.isPresent(); next = requests.take()) {
                var request = next.get();
                var command = request.document();
                var refusal = refusal(command, request);
                if (refusal != null) {
                    if (!request.has(MORE_TO_COME)) {
                        client.getOutputStream().write(Message.reply(request, refusal));
                    }
                    continue;
                }
                server.getOutputStream().write(request.with(forwarded(command)));
                if (!request.has(MORE_TO_COME)) {
                    var reply = Message.read(fromServer);
                    client.getOutputStream().write(reply.with(asRouter(command, reply.document())));
                }
            }
        } catch (IOException | InterruptedException _) {
            // one side has closed its connection, or this is closed
        } finally {
            open.remove(client);
        }
    }

    /// Also while a reply is awaited: MongoDB ends what a client does not wait for any more.
    private static void receive(Socket client, Queue<Optional<Message>> requests, Socket server) {
        try (server) {
            var fromClient = new DataInputStream(new BufferedInputStream(client.getInputStream()));
            while (true) {
                requests.add(Optional.of(Message.read(fromClient)));
            }
        } catch (IOException _) {
            requests.add(Optional.empty());
        }
    }

    /// The reply to a command that is not forwarded, else null.
    private @Nullable BsonDocument refusal(BsonDocument command, Message request) {
        var name = command.getFirstKey();
        var queue = prescribed.get(name);
        var told = queue == null ? null : queue.poll();
        if (told != null) {
            return told;
        }
        if (WITHOUT_ROUTER.contains(name)) {
            return error(59, "no such command: '" + name + "'");
        }
        if (command.getString("$db", new BsonString("")).getValue().equals("local")) {
            return error(73, "Can't use 'local' database through mongos");
        }
        if (command.containsKey("autocommit") && isForeign(command)) {
            return error(251, "cannot continue a transaction that another router has begun");
        }
        return shardKeyRefusal(command, request);
    }

    /// A router knows the transactions that it has begun, and can commit others with a recovery token only.
    private boolean isForeign(BsonDocument command) {
        var transaction = new BsonDocument("lsid", command.get("lsid")).append("number", command.get("txnNumber"));
        if (command.getBoolean("startTransaction", BsonBoolean.FALSE).getValue()) {
            transactions.add(transaction);
        }
        return !transactions.contains(transaction)
                && !(command.containsKey("commitTransaction") && command.containsKey("recoveryToken"));
    }

    private @Nullable BsonDocument shardKeyRefusal(BsonDocument command, Message request) {
        var name = command.getFirstKey();
        if (!Set.of("update", "delete", "findAndModify").contains(name)) {
            return null;
        }
        var namespace = command.getString("$db").getValue() + "."
                + command.getString(name).getValue();
        var field = shardKeys.get(namespace);
        if (field == null) {
            return null;
        }
        if (name.equals("findAndModify")) {
            return names(command.getDocument("query", new BsonDocument()), field)
                    ? null
                    : error(61, "Query for sharded findAndModify must contain the shard key");
        }
        var errors = new BsonArray();
        var statements = request.statements(command, name.equals("update") ? "updates" : "deletes");
        for (int i = 0; i < statements.size(); i++) {
            var statement = statements.get(i);
            var query = statement.getDocument("q");
            var single = name.equals("update")
                    ? !statement.getBoolean("multi", BsonBoolean.FALSE).getValue()
                    : statement.getNumber("limit").intValue() == 1;
            var upsert = statement.getBoolean("upsert", BsonBoolean.FALSE).getValue();
            if (!names(query, field) && (upsert || (single && !names(query, "_id")))) {
                errors.add(new BsonDocument("index", new BsonInt32(i))
                        .append("code", new BsonInt32(61))
                        .append(
                                "errmsg",
                                new BsonString("Failed to target by query :: could not extract exact shard key")));
            }
        }
        return errors.isEmpty()
                ? null
                : new BsonDocument("ok", new BsonInt32(1))
                        .append("n", new BsonInt32(0))
                        .append("nModified", new BsonInt32(0))
                        .append("writeErrors", errors);
    }

    private static boolean names(BsonDocument query, String field) {
        return query.containsKey(field)
                || query.getArray("$and", new BsonArray()).stream().anyMatch(part -> names(part.asDocument(), field));
    }

    private BsonDocument forwarded(BsonDocument command) {
        command.remove("recoveryToken"); // which only routers understand
        if (HELLO.contains(command.getFirstKey())) {
            hellos.incrementAndGet();
            command.remove("compression");
            command.remove("topologyVersion");
            command.remove("maxAwaitTimeMS");
        }
        return command;
    }

    private static BsonDocument asRouter(BsonDocument command, BsonDocument reply) {
        if (HELLO.contains(command.getFirstKey())) {
            OF_REPLICA_SETS.forEach(reply::remove);
            reply.put("msg", new BsonString("isdbgrid"));
        }
        if (command.containsKey("autocommit")) {
            reply.put("recoveryToken", RECOVERY_TOKEN);
        }
        if (command.containsKey("explain") && reply.isDocument("queryPlanner")) {
            var planner = reply.getDocument("queryPlanner");
            var shard = planner.clone().append("shardName", new BsonString("shard0"));
            reply.put(
                    "queryPlanner",
                    new BsonDocument("mongosPlannerVersion", new BsonInt32(1))
                            .append(
                                    "winningPlan",
                                    new BsonDocument("stage", new BsonString("SINGLE_SHARD"))
                                            .append("shards", new BsonArray(List.of(shard)))));
        }
        return reply;
    }

    private static BsonDocument error(int code, String message) {
        return new BsonDocument("ok", new BsonInt32(0))
                .append("code", new BsonInt32(code))
                .append("errmsg", new BsonString(message));
    }

    /// A message whose command or reply can be changed.
    ///
    /// @param flags of `OP_MSG`; 0 otherwise
    /// @param before what stands between the header and the document
    /// @param after sequences of documents that follow it
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Message(
            int id, int responseTo, int code, int flags, byte[] before, BsonDocument document, byte[] after) {
        static Message read(DataInputStream in) throws IOException {
            var length = Integer.reverseBytes(in.readInt());
            if (length < HEADER || length > MAX_MESSAGE) {
                throw new EOFException("a message of " + length + " bytes");
            }
            var bytes = new byte[length - Integer.BYTES];
            in.readFully(bytes);
            var buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            var id = buffer.getInt();
            var responseTo = buffer.getInt();
            var code = buffer.getInt();
            var start = buffer.position();
            switch (code) {
                case OP_MSG -> {
                    return ofSections(id, responseTo, buffer);
                }
                case OP_QUERY -> {
                    buffer.getInt();
                    while (buffer.get() != 0) {} // the namespace
                    buffer.position(buffer.position() + 2 * Integer.BYTES);
                }
                case OP_REPLY -> buffer.position(start + 3 * Integer.BYTES + Long.BYTES);
                default -> throw new IOException("a message of type " + code);
            }
            var before = slice(bytes, start, buffer.position());
            return new Message(id, responseTo, code, 0, before, document(buffer), new byte[0]);
        }

        private static Message ofSections(int id, int responseTo, ByteBuffer buffer) {
            var flags = buffer.getInt();
            var end = buffer.limit() - ((flags & CHECKSUM_PRESENT) == 0 ? 0 : Integer.BYTES);
            BsonDocument document = new BsonDocument();
            var after = new ByteArrayOutputStream();
            while (buffer.position() < end) {
                if (buffer.get(buffer.position()) == 0) {
                    buffer.get();
                    document = document(buffer);
                } else {
                    var size = 1 + buffer.getInt(buffer.position() + 1);
                    var sequence = new byte[size];
                    buffer.get(sequence);
                    after.writeBytes(sequence);
                }
            }
            var kept = flags & ~(CHECKSUM_PRESENT | EXHAUST_ALLOWED);
            return new Message(id, responseTo, OP_MSG, kept, new byte[0], document, after.toByteArray());
        }

        private static byte[] slice(byte[] bytes, int from, int to) {
            return Arrays.copyOfRange(bytes, from, to);
        }

        /// A mutable copy, so that only it is decoded.
        private static BsonDocument document(ByteBuffer buffer) {
            var length = buffer.getInt(buffer.position());
            var bytes = new byte[length];
            buffer.get(bytes);
            var raw = new RawBsonDocument(bytes);
            var copy = new BsonDocument();
            copy.putAll(raw);
            return copy;
        }

        boolean has(int flag) {
            return (flags & flag) != 0;
        }

        /// The statements of a write, which stand in the command or beside it.
        List<BsonDocument> statements(BsonDocument command, String name) {
            if (command.containsKey(name)) {
                return command.getArray(name).stream()
                        .map(value -> value.asDocument())
                        .toList();
            }
            var all = new ArrayList<BsonDocument>();
            var buffer = ByteBuffer.wrap(after).order(ByteOrder.LITTLE_ENDIAN);
            while (buffer.hasRemaining()) {
                buffer.get();
                var end = buffer.position() + buffer.getInt(buffer.position());
                buffer.getInt();
                var start = buffer.position();
                while (buffer.get() != 0) {}
                var sequence = new String(after, start, buffer.position() - 1 - start, StandardCharsets.UTF_8);
                while (buffer.position() < end) {
                    var document = document(buffer);
                    if (sequence.equals(name)) {
                        all.add(document);
                    }
                }
            }
            return all;
        }

        /// The bytes of this message with another document.
        byte[] with(BsonDocument other) {
            var encoded = new RawBsonDocument(other, new BsonDocumentCodec());
            var body = encoded.getByteBuffer();
            var kind = code == OP_MSG ? Integer.BYTES + 1 : before.length;
            var length = HEADER + kind + body.remaining() + after.length;
            var out = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
            out.putInt(length).putInt(id).putInt(responseTo).putInt(code);
            if (code == OP_MSG) {
                out.putInt(flags).put((byte) 0);
            } else {
                out.put(before);
            }
            return out.put(body.asNIO()).put(after).array();
        }

        /// A reply of the proxy's own.
        static byte[] reply(Message request, BsonDocument document) {
            var prefix = ByteBuffer.allocate(3 * Integer.BYTES + Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            prefix.putInt(8).putLong(0).putInt(0).putInt(1);
            var code = request.code == OP_MSG ? OP_MSG : OP_REPLY;
            return new Message(0, request.id, code, 0, prefix.array(), document, new byte[0]).with(document);
        }
    }
}
