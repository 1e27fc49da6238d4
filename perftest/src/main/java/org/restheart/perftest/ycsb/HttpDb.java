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
import tools.jackson.databind.json.JsonMapper;

/// YCSB over the gateway's REST API. Thread-safe.
final class HttpDb extends DB {
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpPool pool;
    private final String base;
    private final boolean bson;

    /// @param bson whether scans ask for BSON
    HttpDb(HttpPool pool, String database, boolean bson) {
        this.pool = pool;
        this.bson = bson;
        this.base = "/" + database + "/";
    }

    @Override
    public Status read(String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
        return attempt(
                "GET",
                base + table + "/" + key + keys(fields, "?"),
                "",
                "",
                body -> Values.ofJson(body, values -> result.putAll(values.byName())));
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
        return attempt("GET", target, bson ? "application/bson" : "", "", body -> {
            if (bson) {
                Values.ofBson(body, values -> result.add(values.byName()));
            } else {
                Values.ofJson(body, values -> result.add(values.byName()));
            }
        });
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        return attempt("PATCH", base + table + "/" + key, "", json(values), _ -> {});
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        return attempt("PUT", base + table + "/" + key + "?wm=insert", "", json(values), _ -> {});
    }

    @Override
    public Status delete(String table, String key) {
        return attempt("DELETE", base + table + "/" + key, "", "", _ -> {});
    }

    private interface Reader {
        void read(byte[] body);
    }

    private Status attempt(String method, String target, String accept, String content, Reader reader) {
        try {
            var reply = pool.exchange(method, target, accept, content);
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
}
