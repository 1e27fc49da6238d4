package org.restheart.perftest.ycsb;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// YCSB over the gateway's REST API. Thread-safe.
final class HttpDb extends DB {
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpPool pool;
    private final String base;

    HttpDb(HttpPool pool, String database) {
        this.pool = pool;
        this.base = "/" + database + "/";
    }

    @Override
    public Status read(String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
        return attempt(
                "GET", base + table + "/" + key + keys(fields, "?"), "", body -> fill(JSON.readTree(body), result));
    }

    @Override
    @SuppressWarnings("NonApiType") // as YCSB declares it
    public Status scan(
            String table,
            String first,
            int count,
            @Nullable Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        var target = base + table + "?filter=" + encoded("{\"_id\":{\"$gte\":\"" + first + "\"}}") + "&sort="
                + encoded("{\"_id\":1}") + "&pagesize=" + count + keys(fields, "&");
        return attempt("GET", target, "", body -> {
            for (var document : JSON.readTree(body)) {
                var values = new HashMap<String, ByteIterator>();
                fill(document, values);
                result.add(values);
            }
        });
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        return attempt("PATCH", base + table + "/" + key, json(values), _ -> {});
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        return attempt("PUT", base + table + "/" + key + "?wm=insert", json(values), _ -> {});
    }

    @Override
    public Status delete(String table, String key) {
        return attempt("DELETE", base + table + "/" + key, "", _ -> {});
    }

    private interface Reader {
        void read(String body);
    }

    private Status attempt(String method, String target, String content, Reader reader) {
        try {
            var reply = pool.exchange(method, target, content);
            if (reply.status() < 200 || reply.status() > 299) {
                return new Status("HTTP " + reply.status(), method + " " + target);
            }
            reader.read(reply.body());
            return Status.OK;
        } catch (IOException e) {
            return new Status(e.getClass().getSimpleName(), String.valueOf(e.getMessage()));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Status.ERROR;
        }
    }

    private static String keys(@Nullable Set<String> fields, String separator) {
        if (fields == null) {
            return "";
        }
        var keys = fields.stream().map(field -> "\"" + field + "\":1").collect(Collectors.joining(",", "{", "}"));
        return separator + "keys=" + encoded(keys);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String json(Map<String, ByteIterator> values) {
        var texts = new TreeMap<String, String>();
        values.forEach((name, value) -> texts.put(name, value.toString()));
        return JSON.writeValueAsString(texts);
    }

    private static void fill(JsonNode document, Map<String, ByteIterator> values) {
        document.properties()
                .forEach(field -> values.put(
                        field.getKey(), new StringByteIterator(field.getValue().asString(""))));
    }
}
