package org.restheart.mongo.resource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Binds a path of the server (`where`) to a MongoDB resource (`what`): `*`, `/db`, `/db/coll` or `/db/coll/doc`.
/// Either
/// both are literal, or `where` has variables (`/{tenant}/{*}`) that `what` repeats. Immutable.
public record Mount(String what, String where) {
    private static final String REST = "{*}";

    public Mount {
        if (!where.startsWith("/")) {
            throw new IllegalArgumentException("mongo-mounts: where must start with / but was " + where);
        }
        if (what.isEmpty()) {
            throw new IllegalArgumentException("mongo-mounts: what must not be empty (where: " + where + ")");
        }
    }

    boolean isTemplate() {
        return where.contains("{");
    }

    List<String> whereSegments() {
        return split(where);
    }

    private List<String> whatSegments() {
        return what.equals("*") || what.equals("/*") ? List.of() : split(what);
    }

    /// The tokens of the resource that `segments` means here, if this mount covers them.
    Optional<List<String>> resolve(List<String> segments, String host) {
        return isTemplate() ? resolveTemplate(segments, host) : resolveLiteral(segments);
    }

    private Optional<List<String>> resolveLiteral(List<String> segments) {
        var prefix = whereSegments();
        if (segments.size() < prefix.size()
                || !segments.subList(0, prefix.size()).equals(prefix)) {
            return Optional.empty();
        }
        var tokens = new ArrayList<>(whatSegments());
        tokens.addAll(segments.subList(prefix.size(), segments.size()));
        return Optional.of(tokens);
    }

    private Optional<List<String>> resolveTemplate(List<String> segments, String host) {
        var variables = new HashMap<String, String>();
        var pattern = whereSegments();
        var rest = List.<String>of();
        for (int i = 0; i < pattern.size(); i++) {
            var part = pattern.get(i);
            if (part.equals(REST)) {
                rest = segments.subList(Math.min(i, segments.size()), segments.size());
                return Optional.of(substitute(variables(variables, host), rest));
            }
            if (i >= segments.size()) {
                return Optional.empty();
            }
            if (part.startsWith("{") && part.endsWith("}")) {
                variables.put(part, segments.get(i));
            } else if (!part.equals(segments.get(i))) {
                return Optional.empty();
            }
        }
        return segments.size() == pattern.size()
                ? Optional.of(substitute(variables(variables, host), rest))
                : Optional.empty();
    }

    private static Map<String, String> variables(Map<String, String> fromPath, String host) {
        fromPath.put("{host}", host);
        var labels = host.split("\\.", -1);
        for (int i = 0; i < labels.length; i++) {
            fromPath.put("{host[" + i + "]}", labels[i]);
        }
        return fromPath;
    }

    private List<String> substitute(Map<String, String> variables, List<String> rest) {
        var tokens = new ArrayList<String>();
        for (var part : whatSegments()) {
            if (part.equals(REST)) {
                tokens.addAll(rest);
            } else {
                var token = part;
                for (var variable : variables.entrySet()) {
                    token = token.replace(variable.getKey(), variable.getValue());
                }
                tokens.add(token);
            }
        }
        return tokens;
    }

    /// The path of the server that means this database (and collection), if this mount shows it.
    Optional<List<String>> pathOf(List<String> tokens) {
        var prefix = whatSegments();
        if (isTemplate()
                || tokens.size() < prefix.size()
                || !tokens.subList(0, prefix.size()).equals(prefix)) {
            return Optional.empty();
        }
        var path = new ArrayList<>(whereSegments());
        path.addAll(tokens.subList(prefix.size(), tokens.size()));
        return Optional.of(path);
    }

    private static List<String> split(String path) {
        var segments = new ArrayList<String>();
        Collections.addAll(segments, path.split("/"));
        segments.removeIf(String::isEmpty);
        return segments;
    }
}
