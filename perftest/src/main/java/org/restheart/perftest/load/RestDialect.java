package org.restheart.perftest.load;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.restheart.perftest.workload.Documents;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Zipf;

/// Says in the gateway's REST terms what the driver does in its own: the same work on the same documents. Immutable.
///
/// @param credentials `name:password` for HTTP Basic; empty to send none
/// @param parameters query parameters for reads of pages, such as `eager=linear`; may be empty
/// @param accept the media type that is asked for; empty for JSON
/// @param seed of what is chosen at random
public record RestDialect(int port, String credentials, String parameters, String accept, long seed) {
    /// So many values are drawn in advance for each kind of request.
    private static final int DRAWN = 50_000;

    private static final String PATCH = "{\"method\":\"PATCH\",\"path\":\"";

    public List<Requests> traffic(Operation operation) {
        var path = operation.namespace().path();
        var random = new SplittableRandom(seed);
        return switch (operation) {
            case Operation.Ping _ -> List.of(get("/ping"));
            case Operation.Insert(var _, var batch, var bytes) -> {
                var document = Documents.fields(0, bytes).toJson();
                var body = batch == 1 ? document : "[" + (document + ",").repeat(batch - 1) + document + "]";
                yield List.of(write("POST", path, body, List.of()));
            }
            case Operation.FindById(var _, var documents) -> List.of(get(path + "/{}", ids(random, documents)));
            case Operation.Update(var _, var documents) ->
                List.of(write("PATCH", path + "/{}", "{\"text\":\"changed\"}", ids(random, documents)));
            case Operation.Transfer(var _, var documents) ->
                List.of(write(
                        "POST",
                        "/_transactions",
                        "[" + PATCH + path + "/{}\",\"body\":{\"$inc\":{\"n\":1}}}]",
                        transfers(path, documents)));
            case Operation.Page(var _, var skip, var limit) -> List.of(get(page(path, limit) + (skip / limit + 1)));
            case Operation.RandomPage(var _, var from, var to, var limit) ->
                List.of(get(
                        page(path, limit) + "{}",
                        drawn(() -> Long.toString(random.nextLong(from / limit + 1, to / limit + 1)))));
            case Operation.Matching(var _, var field, var regex, var limit) -> {
                var filter = "{\"" + field + "\":{\"$regex\":\"" + regex + "\"}}";
                yield List.of(get(page(path, limit) + "1&filter=" + encoded(filter)));
            }
            case Operation.Ycsb ycsb -> ycsb(ycsb, path, random);
        };
    }

    private List<Requests> ycsb(Operation.Ycsb ycsb, String path, SplittableRandom random) {
        var zipf = new Zipf(ycsb.documents());
        var keys = drawn(() -> Documents.id(zipf.next(random)).toHexString());
        var text = "x".repeat(Operation.Ycsb.FIELD_BYTES);
        var all = new ArrayList<Requests>();
        var workload = ycsb.workload();
        all.add(get(path + "/{}", keys).times(workload.reads()));
        all.add(write("PATCH", path + "/{}", "{\"field0\":\"" + text + "\"}", keys)
                .times(workload.updates()));
        all.add(write("POST", path, Documents.ycsb(0).toJson(), List.of()).times(workload.inserts()));
        var scans = drawn(() -> {
            var filter = "{\"_id\":{\"$gte\":{\"$oid\":\"" + Documents.id(zipf.next(random)) + "\"}}}";
            return encoded(filter) + "&pagesize=" + (1 + random.nextInt(Operation.Ycsb.LONGEST_SCAN));
        });
        var scan = path + "?sort=" + encoded("{\"_id\":1}") + "&filter={}";
        all.add(get(scan, scans).times(workload.scans()));
        return all.stream().filter(requests -> requests.weight() > 0).toList();
    }

    /// The first document comes first, which is asked for when a server is verified.
    private static List<String> ids(SplittableRandom random, int documents) {
        var ids = new ArrayList<>(List.of(Documents.id(0).toHexString()));
        ids.addAll(drawn(() -> Documents.id(random.nextInt(documents)).toHexString()));
        return ids;
    }

    /// From one document to another.
    private List<String> transfers(String path, int documents) {
        var random = new SplittableRandom(seed);
        return drawn(() -> Documents.id(random.nextInt(documents)) + "\",\"body\":{\"$inc\":{\"n\":-1}}}," + PATCH
                + path + "/" + Documents.id(random.nextInt(documents)));
    }

    private static List<String> drawn(Supplier<String> value) {
        return IntStream.range(0, DRAWN).mapToObj(_ -> value.get()).toList();
    }

    public BlockingHttp connection() {
        return new BlockingHttp(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /// The head of a `GET`.
    public String head(String target) {
        return Stream.concat(Stream.of("GET " + target + " HTTP/1.1"), fields().stream())
                .collect(Collectors.joining("\r\n", "", "\r\n\r\n"));
    }

    /// The same server, asked by someone else.
    public RestDialect as(String credentials) {
        return new RestDialect(port, credentials, parameters, accept, seed);
    }

    /// The same server, asked for another media type.
    public RestDialect accepting(String accept) {
        return new RestDialect(port, credentials, parameters, accept, seed);
    }

    private String page(String path, int limit) {
        var more = parameters.isEmpty() ? "" : parameters + "&";
        return path + "?" + more + "pagesize=" + limit + "&page=";
    }

    public static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private Requests get(String target) {
        return Requests.get(target, fields());
    }

    private Requests get(String target, List<String> values) {
        return new Requests("GET", target, fields(), "", values, 1);
    }

    /// @param values of the target, or of the body if the target has no place
    public Requests write(String method, String target, String body, List<String> values) {
        return new Requests(method, target, fields(), body, values, 1);
    }

    public List<String> fields() {
        var fields = new ArrayList<>(List.of("Host: 127.0.0.1:" + port));
        if (!credentials.isEmpty()) {
            var basic = Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
            fields.add("Authorization: Basic " + basic);
        }
        if (!accept.isEmpty()) {
            fields.add("Accept: " + accept);
        }
        return fields;
    }
}
