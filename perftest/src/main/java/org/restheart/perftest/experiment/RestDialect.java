package org.restheart.perftest.experiment;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.restheart.perftest.load.RequestTemplate;
import org.restheart.perftest.load.RequestTemplate.Slot;
import org.restheart.perftest.workload.Documents;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.ycsb.BlockingHttp;

/// Says in the gateway's REST terms what the driver does in its own: the same work on the same documents. Immutable.
///
/// @param credentials `name:password` for HTTP Basic; empty to send none
/// @param parameters query parameters for reads of pages, such as `eager=linear`; may be empty
record RestDialect(int port, String credentials, String parameters) {

    RequestTemplate traffic(Operation operation) {
        var path = operation.namespace().path();
        return switch (operation) {
            case Operation.Ping _ -> get("/ping", new Slot.Nothing());
            case Operation.Insert(var _, var batch, var bytes) -> {
                var document = Documents.fields(0, bytes).toJson();
                var body = batch == 1 ? document : "[" + (document + ",").repeat(batch - 1) + document + "]";
                yield new RequestTemplate("POST", path, fields(), body, new Slot.Nothing());
            }
            case Operation.FindById(var _, var documents) -> get(path + "/{}", new Slot.RandomId(documents));
            case Operation.Page(var _, var skip, var limit) ->
                get(page(path, limit) + (skip / limit + 1), new Slot.Nothing());
            case Operation.RandomPage(var _, var from, var to, var limit) ->
                get(page(path, limit) + "{}", new Slot.RandomNumber(from / limit + 1, to / limit + 1));
            case Operation.GrowingPage(var _, var from, var step, var limit) ->
                get(page(path, limit) + "{}", new Slot.GrowingNumber(from / limit + 1, step / limit));
            case Operation.Matching(var _, var field, var regex, var limit) -> {
                var filter = "{\"" + field + "\":{\"$regex\":\"" + regex + "\"}}";
                yield get(page(path, limit) + "1&filter=" + encoded(filter), new Slot.Nothing());
            }
            case Operation.Upload(var _, var bytes) -> {
                var all = new ArrayList<>(fields());
                all.add("Content-Type: application/octet-stream");
                all.add("Content-Length: " + bytes);
                yield new RequestTemplate("PUT", path + "/{}", all, "x".repeat(bytes), new Slot.GrowingNumber(0, 1));
            }
            case Operation.Download(var _, var files) -> get(path + "/f{}/binary", new Slot.RandomNumber(0, files));
        };
    }

    /// A connection that is not open yet.
    BlockingHttp connection() {
        return new BlockingHttp(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /// The head of a `GET`.
    ///
    /// @param more fields besides those of all requests
    String head(String target, String... more) {
        return Stream.of(Stream.of("GET " + target + " HTTP/1.1"), fields().stream(), Stream.of(more))
                .flatMap(lines -> lines)
                .collect(Collectors.joining("\r\n", "", "\r\n\r\n"));
    }

    /// The same server, asked by someone else.
    RestDialect as(String credentials) {
        return new RestDialect(port, credentials, parameters);
    }

    private String page(String path, int limit) {
        var more = parameters.isEmpty() ? "" : parameters + "&";
        return path + "?" + more + "pagesize=" + limit + "&page=";
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private RequestTemplate get(String target, Slot slot) {
        return new RequestTemplate("GET", target, fields(), "", slot);
    }

    List<String> fields() {
        var host = "Host: 127.0.0.1:" + port;
        if (credentials.isEmpty()) {
            return List.of(host);
        }
        var basic = Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
        return List.of(host, "Authorization: Basic " + basic);
    }
}
