package org.restheart.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// What a test opens one after the other: closed together, the latest first. Not thread-safe.
public final class Opened<T extends AutoCloseable> implements AutoCloseable {
    private final List<T> all = new ArrayList<>();

    /// @return what is added
    public <U extends T> U add(U resource) {
        all.add(resource);
        return resource;
    }

    /// In the order in which they were added, those that the test has closed among them. A view.
    public List<T> all() {
        return Collections.unmodifiableList(all);
    }

    /// All are closed, also after one that cannot be, which is an error. May be used again.
    @Override
    public void close() {
        var failures = new ArrayList<Exception>();
        while (!all.isEmpty()) {
            try {
                all.removeLast().close();
            } catch (Exception e) {
                failures.add(e);
            }
        }
        assertThat(failures).isEmpty();
    }
}
