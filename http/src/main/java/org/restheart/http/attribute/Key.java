package org.restheart.http.attribute;

import java.util.concurrent.atomic.AtomicInteger;

/// Names a typed attribute of a [Request]. Two keys are the same only if they are the same object.
@SuppressWarnings("UnusedTypeParameter") // a phantom type: it ties the key to the value it is stored with
public final class Key<T> {
    private static final AtomicInteger KEYS = new AtomicInteger();

    private final String name;

    /// One of 64, which other keys may share.
    final long bit = 1L << KEYS.getAndIncrement();

    private Key(String name) {
        this.name = name;
    }

    /// A new key; `name` is for debugging.
    public static <T> Key<T> named(String name) {
        return new Key<>(name);
    }

    @Override
    public String toString() {
        return name;
    }
}
