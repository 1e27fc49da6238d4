package org.restheart.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/// Immutable header fields. Built by adding; a response carries about ten, so a flat array is searched.
public final class Fields implements Headers {
    public static final Fields NONE = new Fields(new String[0]);

    /// name, value, name, value …
    private final String[] lines;

    private Fields(String[] lines) {
        this.lines = lines;
    }

    /// @param namesAndValues `name, value, name, value …`
    public static Fields of(String... namesAndValues) {
        if (namesAndValues.length % 2 != 0) {
            throw new IllegalArgumentException("a name without a value: " + Arrays.toString(namesAndValues));
        }
        return namesAndValues.length == 0 ? NONE : new Fields(namesAndValues.clone());
    }

    public Fields plus(String name, String value) {
        var more = Arrays.copyOf(lines, lines.length + 2);
        more[lines.length] = name;
        more[lines.length + 1] = value;
        return new Fields(more);
    }

    public Fields plus(Fields others) {
        if (others.lines.length == 0) {
            return this;
        }
        if (lines.length == 0) {
            return others;
        }
        var more = Arrays.copyOf(lines, lines.length + others.lines.length);
        System.arraycopy(others.lines, 0, more, lines.length, others.lines.length);
        return new Fields(more);
    }

    @Override
    public Fields with(String name, String value) {
        return (has(name) ? without(name) : this).plus(name, value);
    }

    public Fields without(String name) {
        var kept = new ArrayList<String>(lines.length);
        forEach((n, v) -> {
            if (!n.equalsIgnoreCase(name)) {
                kept.add(n);
                kept.add(v);
            }
        });
        return kept.size() == lines.length ? this : new Fields(kept.toArray(String[]::new));
    }

    @Override
    public boolean has(String name) {
        return indexOf(name) >= 0;
    }

    @Override
    public Optional<String> first(String name) {
        int i = indexOf(name);
        return i < 0 ? Optional.empty() : Optional.of(lines[i + 1]);
    }

    private int indexOf(String name) {
        for (int i = 0; i < lines.length; i += 2) {
            if (lines[i].equalsIgnoreCase(name)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public List<String> all(String name) {
        if (!has(name)) {
            return List.of();
        }
        var values = new ArrayList<String>();
        forEach((n, v) -> {
            if (n.equalsIgnoreCase(name)) {
                values.add(v);
            }
        });
        return values;
    }

    @Override
    public void forEach(BiConsumer<String, String> line) {
        for (int i = 0; i < lines.length; i += 2) {
            line.accept(lines[i], lines[i + 1]);
        }
    }

    /// Without values, of which some are secret.
    @Override
    public String toString() {
        var names = new ArrayList<String>();
        forEach((name, _) -> names.add(name));
        return names.toString();
    }
}
