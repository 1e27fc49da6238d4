package org.restheart.core.tracing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/// A collector: takes spans and metrics by OTLP over HTTP and reads of the protocol buffers what the tests ask for.
public final class OtlpReceiver implements AutoCloseable {
    private final HttpServer server;
    private final List<Received> spans = new CopyOnWriteArrayList<>();
    private final List<List<Metric>> pushes = new CopyOnWriteArrayList<>();
    private final List<Map<String, String>> resources = new CopyOnWriteArrayList<>();
    private final List<String> credentials = new CopyOnWriteArrayList<>();
    private final AtomicInteger status = new AtomicInteger(200);
    private final AtomicInteger requests = new AtomicInteger();

    /// @param links the ids of linked spans
    record Received(
            String trace,
            String id,
            String parent,
            String name,
            long kind,
            long began,
            long ended,
            Map<String, String> attributes,
            List<String> links) {}

    /// @param kind of its data: `gauge`, `total`, `histogram` or `summary`
    public record Metric(String name, String help, String kind, List<Point> points) {}

    /// @param value of a number, else the sum
    /// @param count of histograms and summaries
    /// @param parts a histogram's buckets by their bounds, a summary's values by their quantiles
    public record Point(Map<String, String> attributes, double value, long count, Map<Double, Double> parts) {}

    public OtlpReceiver() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/v1/traces", exchange -> take(exchange, this::takeSpans));
        server.createContext("/v1/metrics", exchange -> take(exchange, this::takeMetrics));
        server.start();
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    public void answer(int status) {
        this.status.set(status);
    }

    public int requests() {
        return requests.get();
    }

    List<Received> spans() {
        return new ArrayList<>(spans);
    }

    List<Received> trace(String trace) {
        return spans.stream().filter(span -> span.trace.equals(trace)).toList();
    }

    public List<Map<String, String>> resources() {
        return resources;
    }

    /// The metrics of each push.
    public List<List<Metric>> pushes() {
        return pushes;
    }

    /// The headers `Authorization` that came.
    public List<String> credentials() {
        return credentials;
    }

    private void take(HttpExchange exchange, Consumer<Message> taken) throws IOException {
        try (exchange) {
            var sent = exchange.getRequestBody().readAllBytes();
            requests.incrementAndGet();
            var authorization = exchange.getRequestHeaders().getFirst("Authorization");
            if (authorization != null) {
                credentials.add(authorization);
            }
            if (status.get() == 200) {
                for (var resource : Message.of(sent).messages(1)) {
                    resource.messages(1).forEach(about -> resources.add(attributes(about.messages(1))));
                    taken.accept(resource);
                }
            }
            exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
            exchange.sendResponseHeaders(status.get(), -1);
        }
    }

    private void takeSpans(Message resource) {
        resource.messages(2).forEach(scope -> scope.messages(2).forEach(span -> spans.add(received(span))));
    }

    private void takeMetrics(Message resource) {
        pushes.add(resource.messages(2).stream()
                .flatMap(scope -> scope.messages(2).stream())
                .map(OtlpReceiver::metric)
                .toList());
    }

    private static Metric metric(Message metric) {
        var kind = metric.has(5) ? "gauge" : metric.has(7) ? "total" : metric.has(9) ? "histogram" : "summary";
        var data = metric.messages(Map.of("gauge", 5, "total", 7, "histogram", 9, "summary", 11)
                        .get(kind))
                .getFirst();
        boolean cumulative = kind.equals("gauge") || kind.equals("summary") || data.number(2) == 2;
        if (!cumulative || (kind.equals("total") && data.number(3) != 1)) {
            throw new IllegalArgumentException(metric.text(1) + " does not count from the start");
        }
        return new Metric(
                metric.text(1),
                metric.text(2),
                kind,
                data.messages(1).stream()
                        .map(point -> switch (kind) {
                            case "histogram" ->
                                new Point(
                                        attributes(point.messages(9)),
                                        point.real(5),
                                        point.number(4),
                                        buckets(point.packed(7), point.packed(6)));
                            case "summary" ->
                                new Point(
                                        attributes(point.messages(7)),
                                        point.real(5),
                                        point.number(4),
                                        quantiles(point.messages(6)));
                            default -> new Point(attributes(point.messages(7)), point.real(4), 0, Map.of());
                        })
                        .toList());
    }

    private static Map<Double, Double> buckets(List<Long> bounds, List<Long> counts) {
        var buckets = new TreeMap<Double, Double>();
        for (int i = 0; i < counts.size(); i++) {
            buckets.put(i < bounds.size() ? Double.longBitsToDouble(bounds.get(i)) : Double.POSITIVE_INFINITY, (double)
                    counts.get(i));
        }
        return buckets;
    }

    private static Map<Double, Double> quantiles(List<Message> values) {
        var quantiles = new TreeMap<Double, Double>();
        values.forEach(value -> quantiles.put(value.real(1), value.real(2)));
        return quantiles;
    }

    private static Received received(Message span) {
        return new Received(
                span.hex(1),
                span.hex(2),
                span.hex(4),
                span.text(5),
                span.number(6),
                span.number(7),
                span.number(8),
                attributes(span.messages(9)),
                span.messages(13).stream().map(link -> link.hex(2)).toList());
    }

    private static Map<String, String> attributes(List<Message> pairs) {
        var attributes = new HashMap<String, String>();
        for (var pair : pairs) {
            var value = pair.messages(2).getFirst();
            attributes.put(pair.text(1), value.has(1) ? value.text(1) : Long.toString(value.number(3)));
        }
        return attributes;
    }

    @Override
    public void close() {
        server.stop(0);
    }

    /// A protocol buffer without its description: the fields by number.
    private record Message(Map<Integer, List<Object>> fields) {
        static Message of(byte[] bytes) {
            var fields = new HashMap<Integer, List<Object>>();
            var in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            while (in.hasRemaining()) {
                long tag = varint(in);
                Object value = switch ((int) tag & 7) {
                    case 0 -> varint(in);
                    case 1 -> in.getLong();
                    case 2 -> {
                        var part = new byte[(int) varint(in)];
                        in.get(part);
                        yield part;
                    }
                    case 5 -> (long) in.getInt();
                    default -> throw new IllegalArgumentException("not a protocol buffer");
                };
                fields.computeIfAbsent((int) tag >>> 3, _ -> new ArrayList<>()).add(value);
            }
            return new Message(fields);
        }

        private static long varint(ByteBuffer in) {
            long value = 0;
            for (int shift = 0; ; shift += 7) {
                byte next = in.get();
                value |= (next & 0x7fL) << shift;
                if (next >= 0) {
                    return value;
                }
            }
        }

        boolean has(int field) {
            return fields.containsKey(field);
        }

        private List<Object> all(int field) {
            return fields.getOrDefault(field, List.of());
        }

        List<Message> messages(int field) {
            return all(field).stream().map(part -> of((byte[]) part)).toList();
        }

        private byte[] bytes(int field) {
            return has(field) ? (byte[]) all(field).getFirst() : new byte[0];
        }

        String hex(int field) {
            return HexFormat.of().formatHex(bytes(field));
        }

        String text(int field) {
            return new String(bytes(field), StandardCharsets.UTF_8);
        }

        double real(int field) {
            return Double.longBitsToDouble(number(field));
        }

        /// 64 bits each.
        List<Long> packed(int field) {
            var in = ByteBuffer.wrap(bytes(field)).order(ByteOrder.LITTLE_ENDIAN);
            var values = new ArrayList<Long>();
            while (in.hasRemaining()) {
                values.add(in.getLong());
            }
            return values;
        }

        long number(int field) {
            return has(field) ? (long) all(field).getFirst() : 0;
        }
    }
}
