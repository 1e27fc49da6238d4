package org.restheart.core.chaos;

import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.core.chaos.Ledger.Period;

/// Clients that write and read all the time, and what they know at the end. Thread-safe.
final class Workload {
    private static final int INSERTERS = 6;
    private static final int REGISTERS = 3;
    private static final int MOVERS = 64;

    /// Fewer than the movers, so that transactions conflict all the time.
    private static final int ACCOUNTS = 48;

    private static final int BALANCE = 1_000;

    /// Between two requests of a client: the machine is shared by all members, gateways and clients.
    private static final int PAUSE_MILLIS = Integer.getInteger("chaos.pause", 250);

    /// Between two transactions of a mover, whose five requests each cost more than others, times the pause of others.
    private static final int MOVERS_PAUSE = 20;

    private final ChaosClient client;
    private final Ledger ledger;
    private final long seed;
    private final Map<String, Period> inserted = new ConcurrentHashMap<>();
    private final List<RegisterHistory> registers = new ArrayList<>();
    private final LongAdder counted = new LongAdder();
    private final LongAdder perhapsCounted = new LongAdder();
    private final LongAdder transferred = new LongAdder();
    private final LongAdder givenUp = new LongAdder();
    private final Queue<Future<?>> running = new ConcurrentLinkedQueue<>();
    private volatile boolean over;

    private interface Step {
        void run(int number) throws InterruptedException;
    }

    Workload(ChaosClient client, Ledger ledger, long seed) {
        this.client = client;
        this.ledger = ledger;
        this.seed = seed;
    }

    void start(ExecutorService threads, MongoDatabase database) {
        database.getCollection("counters", BsonDocument.class).insertOne(BsonDocument.parse("{_id: 'c', n: 0}"));
        for (int i = 0; i < ACCOUNTS; i++) {
            database.getCollection("accounts", BsonDocument.class)
                    .insertOne(BsonDocument.parse("{_id: 'a" + i + "', b: " + BALANCE + "}"));
        }
        for (int i = 0; i < INSERTERS; i++) {
            int worker = i;
            loop(threads, n -> insert(worker, n));
        }
        loop(threads, _ -> count());
        loop(threads, _ -> count());
        for (int i = 0; i < REGISTERS; i++) {
            database.getCollection("registers", BsonDocument.class)
                    .insertOne(BsonDocument.parse("{_id: 'r" + i + "', v: '" + RegisterHistory.INITIAL + "'}"));
            registers.add(new RegisterHistory());
            int register = i;
            for (int j = 0; j < 3; j++) {
                int writer = j;
                loop(threads, n -> write(register, writer + "-" + n));
                loop(threads, _ -> read(register));
            }
        }
        for (int i = 0; i < MOVERS; i++) {
            var dice = new Random(seed + i);
            loop(threads, PAUSE_MILLIS * MOVERS_PAUSE, _ -> transfer(dice));
        }
    }

    private void loop(ExecutorService threads, Step step) {
        loop(threads, PAUSE_MILLIS, step);
    }

    private void loop(ExecutorService threads, int pauseMillis, Step step) {
        running.add(threads.submit(() -> {
            for (int n = 0; !over; n++) {
                step.run(n);
                Thread.sleep(pauseMillis);
            }
            return null;
        }));
    }

    /// Every other worker repeats each insert with its idempotency key until it is acknowledged.
    private void insert(int worker, int n) throws InterruptedException {
        var key = worker + "-" + n;
        var body = "{\"k\": \"" + key + "\", \"w\": " + worker + ", \"s\": " + n + "}";
        if (worker % 2 == 0) {
            if (client.status("POST", "/inserts", body) == 201) {
                inserted.put(key, ledger.acknowledged());
            }
            return;
        }
        var idempotencyKey = "\"" + new UUID(seed, ((long) worker << 40) + n) + "\"";
        while (true) {
            int status = client.status("POST", "/inserts", body, "Idempotency-Key", idempotencyKey);
            if (status == 201) {
                inserted.put(key, ledger.acknowledged());
                return;
            }
            if (over) {
                return;
            }
            Thread.sleep(100);
        }
    }

    private void count() throws InterruptedException {
        if (client.status("PATCH", "/counters/c", "{\"$inc\": {\"n\": 1}}") == 200) {
            counted.increment();
            ledger.acknowledged();
        } else {
            perhapsCounted.increment();
        }
    }

    private void write(int register, String value) throws InterruptedException {
        var history = registers.get(register);
        long start = System.nanoTime();
        int status = client.status("PUT", "/registers/r" + register, "{\"v\": \"" + value + "\"}");
        history.wrote(value, start, status == 200 ? System.nanoTime() : Long.MAX_VALUE);
        if (status == 200) {
            ledger.acknowledged();
        }
    }

    private void read(int register) throws InterruptedException {
        long start = System.nanoTime();
        var response = client.send("GET", "/registers/r" + register + "?readConcern=linearizable", "");
        if (response != null && response.statusCode() == 200) {
            var value = BsonDocument.parse(response.body()).getString("v").getValue();
            registers.get(register).read(value, start, System.nanoTime());
        }
    }

    /// Moves an amount from one account to another. A mover that gets no answer gives its transaction up,
    /// sometimes without a word, since its gateway is gone too: MongoDB ends it then.
    private void transfer(Random dice) throws InterruptedException {
        int from = dice.nextInt(ACCOUNTS);
        int to = (from + 1 + dice.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
        int amount = 1 + dice.nextInt(9);
        var session = lastSegment(client.send("POST", "/_sessions", ""));
        if (session == null) {
            return;
        }
        var number = lastSegment(client.send("POST", "/_sessions/" + session + "/_txns", ""));
        if (number == null) {
            return;
        }
        var query = "?sid=" + session + "&txn=" + number;
        if (client.status("PATCH", "/accounts/a" + from + query, "{\"$inc\": {\"b\": -" + amount + "}}") == 200
                && client.status("PATCH", "/accounts/a" + to + query, "{\"$inc\": {\"b\": " + amount + "}}") == 200) {
            for (int attempt = 0; attempt < 3; attempt++) {
                if (client.status("PATCH", "/_sessions/" + session + "/_txns/" + number, "") == 200) {
                    ledger.acknowledged();
                    transferred.increment();
                    return;
                }
            }
        } else {
            givenUp.increment();
            client.status("DELETE", "/_sessions/" + session + "/_txns/" + number, "");
        }
    }

    private static @Nullable String lastSegment(@Nullable HttpResponse<String> response) {
        return response == null || response.statusCode() != 201
                ? null
                : response.headers()
                        .firstValue("Location")
                        .map(location -> location.substring(location.lastIndexOf('/') + 1))
                        .orElse(null);
    }

    void stop() throws Exception {
        over = true;
        for (var each : running) {
            each.get();
        }
    }

    Map<String, Period> inserted() {
        return inserted;
    }

    long transfers() {
        return transferred.sum();
    }

    /// Transactions that were given up, for conflicts and for faults.
    long givenUp() {
        return givenUp.sum();
    }

    /// Compares what was acknowledged with what MongoDB has.
    List<String> violations(MongoDatabase database) {
        var found = new ArrayList<String>();
        var stored = new ConcurrentHashMap<String, Integer>();
        database.getCollection("inserts", BsonDocument.class)
                .find(Filters.ne("k", EventListener.FIRST))
                .forEach(document -> stored.merge(document.getString("k").getValue(), 1, Integer::sum));
        inserted.forEach((key, period) -> {
            if (!stored.containsKey(key)) {
                period.lost();
                found.add("insert " + key + " is lost");
            }
        });
        stored.forEach((key, times) -> {
            if (times > 1) {
                inserted.getOrDefault(key, ledger.current()).doubled();
                found.add("insert " + key + " is there " + times + " times");
            }
        });
        long n = database.getCollection("counters", BsonDocument.class)
                .find(Filters.eq("c"))
                .first()
                .getNumber("n")
                .longValue();
        if (n < counted.sum() || n > counted.sum() + perhapsCounted.sum()) {
            found.add("the counter is " + n + ", acknowledged " + counted + ", unknown " + perhapsCounted);
        }
        long sum = 0;
        for (var account :
                database.getCollection("accounts", BsonDocument.class).find()) {
            sum += account.getNumber("b").longValue();
        }
        if (sum != (long) ACCOUNTS * BALANCE) {
            found.add("the accounts have " + sum + " together");
        }
        registers.forEach(register -> found.addAll(register.violations()));
        return found;
    }
}
